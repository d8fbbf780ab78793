/** The deployment did not set a variable that the function needs. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly settings: readonly string[];

  constructor(settings: readonly string[]) {
    super(`environment variables are missing or wrong: ${settings.join(', ')}`);
    this.settings = settings;
  }
}
