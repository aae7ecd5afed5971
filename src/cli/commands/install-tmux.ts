export type InstallTmuxOptions = { yes?: boolean }
export async function installTmux(_: InstallTmuxOptions): Promise<void> {}
