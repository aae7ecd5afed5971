export type UninstallTmuxOptions = { yes?: boolean }
export async function uninstallTmux(_: UninstallTmuxOptions): Promise<void> {}
