import type { Command } from 'commander'
import { managedHarnesses } from '../../../harness/registry.ts'
import { collected } from '../../context/option-values.ts'
import { addCommand } from '../../context/run-command.ts'
import { RUN_BY_US } from '../supervisor/help-group.ts'
import { checkWorkspaces } from './check.ts'
import { initWorkspace } from './init.ts'
import { listWorkspaces } from './list.ts'
import { reloadWorkspaces } from './reload.ts'

export function addTo(program: Command): void {
  const workspace = addCommand(
    program,
    'workspace',
    'set up where agents run, and check it',
    listWorkspaces,
  )
    .helpGroup(RUN_BY_US)
    .usage('[options]\n       trailboss workspace init|check|list|reload')
    .helpCommand(false)
    .addHelpText('after', HELP)
  addCommand(
    workspace,
    'init [dir]',
    'add a workspace to the configuration; asks, and shows the change first',
    initWorkspace,
  )
    .option('--yes', 'take the defaults and do it without asking')
    .option('--name <name>', "the workspace's name (default: the directory's)")
    .option(
      '--role <role=harness>',
      `a role and its harness, repeatable: ${managedHarnesses().join(', ')}`,
      collected,
    )
    .option('--orchestrator <role>', 'the role that the others report to (default: lead)')
    .option('--reviewer <role>', 'the role that reviews results (default: reviewer)')
    .option('--no-hooks', 'install no hooks')
    .addHelpText('after', INIT_HELP)
  addCommand(
    workspace,
    'check [name]',
    'say what will not work, and how to fix it (exit code 1 if something will not)',
    checkWorkspaces,
  )
  addCommand(workspace, 'list', 'print the workspaces of the configuration', listWorkspaces)
  addCommand(
    workspace,
    'reload',
    'have the daemon read the workspaces again, without a restart',
    reloadWorkspaces,
  )
}

const HELP = `
A workspace is a directory and the agents that Trail Boss runs there. Begin with: trailboss workspace init`

const INIT_HELP = `
Without dir it is the current directory. What else is in the configuration stays as it is.`
