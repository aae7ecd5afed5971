/** What the scripted agents do. Each repeats its turns for as long as the demo runs. */

export type Permission = {
  kind: 'permission'
  command: string
  description: string
  /** What the command prints when it is approved. */
  output: string
}

export type Question = {
  kind: 'question'
  header: string
  question: string
  options: { label: string; description: string }[]
}

export type Stop = {
  kind: 'stopped'
  message: string
  /** The answer that Enter alone gives. */
  suggestion: string
}

type Tool = 'Read' | 'Write' | 'Edit' | 'Grep' | 'Bash'

export type Turn = {
  /** Tool calls that need no permission. */
  steps: `${Tool} ${string}`[]
  workMs: number
  ask: Permission | Question | Stop
}

export type Scenario = { task: string; turns: [Turn, ...Turn[]] }

export function scenarioOf(name: string): Scenario {
  const scenario = scenarios[name]
  if (!scenario) throw new Error(`there is no scripted agent "${name}"`)
  return scenario
}

const scenarios: Readonly<Record<string, Scenario>> = {
  api: {
    task: 'Limit how often one address may try to log in',
    turns: [
      {
        steps: ['Read src/routes/login.ts', 'Write src/middleware/rate-limit.ts'],
        workMs: 3_000,
        ask: {
          kind: 'permission',
          command: 'npm test -- login',
          description: 'Run the login tests',
          output: '14 tests passed',
        },
      },
      {
        steps: ['Edit src/routes/login.ts', 'Grep 429'],
        workMs: 14_000,
        ask: {
          kind: 'stopped',
          message:
            'Logins are limited to 5 per minute and address, and all 14 tests pass. Should the limit come from the configuration?',
          suggestion: 'yes, with 5 as the default',
        },
      },
      {
        steps: ['Edit src/config.ts', 'Edit docs/configuration.md'],
        workMs: 18_000,
        ask: {
          kind: 'permission',
          command: 'git push origin rate-limit',
          description: 'Push the branch',
          output: 'rate-limit -> rate-limit',
        },
      },
      {
        steps: ['Read .github/pull_request_template.md'],
        workMs: 12_000,
        ask: {
          kind: 'stopped',
          message: 'The branch is pushed and the pull request is written. What is next?',
          suggestion: 'the same for the sign-up route',
        },
      },
    ],
  },
  web: {
    task: 'Make the checkout page fit on a phone',
    turns: [
      {
        steps: ['Read src/pages/checkout.tsx', 'Read src/styles/layout.css'],
        workMs: 6_000,
        ask: {
          kind: 'question',
          header: 'Breakpoint',
          question: 'Below which width should the summary move under the form?',
          options: [
            { label: '640 px', description: 'phones only' },
            { label: '768 px', description: 'phones and small tablets' },
          ],
        },
      },
      {
        steps: ['Edit src/styles/layout.css', 'Edit src/pages/checkout.tsx'],
        workMs: 16_000,
        ask: {
          kind: 'permission',
          command: 'npx playwright test checkout --project=mobile',
          description: 'Look at it on three phones',
          output: '3 passed (8.1s)',
        },
      },
      {
        steps: ['Read test-results/checkout-mobile.png'],
        workMs: 15_000,
        ask: {
          kind: 'stopped',
          message:
            'The checkout fits on all three phones. The pay button is 38 px high; 44 px is advised. Shall I make it larger?',
          suggestion: 'yes',
        },
      },
    ],
  },
  docs: {
    task: 'Bring the getting-started guide up to date',
    turns: [
      {
        steps: ['Read docs/getting-started.md', 'Grep Node 18'],
        workMs: 9_000,
        ask: {
          kind: 'stopped',
          message:
            'The guide still names Node 18 in four places. I would say "Node 20 or newer" in one and drop the others. All right?',
          suggestion: 'go ahead',
        },
      },
      {
        steps: ['Edit docs/getting-started.md', 'Edit docs/install.md'],
        workMs: 17_000,
        ask: {
          kind: 'permission',
          command: 'npm run docs:build',
          description: 'Build the site and check its links',
          output: '48 pages, 0 broken links',
        },
      },
    ],
  },
  infra: {
    task: 'Move the staging database to PostgreSQL 17',
    turns: [
      {
        steps: ['Read terraform/staging/db.tf', 'Edit terraform/staging/db.tf'],
        workMs: 12_000,
        ask: {
          kind: 'permission',
          command: 'terraform apply -target=module.staging_db',
          description: 'Apply the plan: 1 to change, 0 to destroy',
          output: 'Apply complete! 0 added, 1 changed, 0 destroyed.',
        },
      },
      {
        steps: ['Bash psql -c "select version()"', 'Read migrations/0042_indexes.sql'],
        workMs: 19_000,
        ask: {
          kind: 'question',
          header: 'Old server',
          question: 'Staging runs on 17 now. How long should the old server stay?',
          options: [
            { label: 'A week', description: 'so that there is a way back' },
            { label: 'Remove it now', description: 'saves 3 $ a day' },
          ],
        },
      },
    ],
  },
}
