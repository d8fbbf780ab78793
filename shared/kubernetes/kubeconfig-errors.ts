export interface KubeconfigTrouble {
  readonly file: string;
  /** `users[0].user.exec.command`; empty: the file as a whole. */
  readonly field: string;
  readonly why: string;
  /** Names that would have been right. */
  readonly known?: readonly string[];
}

/** A kubeconfig that cannot be used as it is. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
  readonly trouble: KubeconfigTrouble;

  constructor(trouble: KubeconfigTrouble, options?: ErrorOptions) {
    const { file, field, why } = trouble;
    super(`${file}: ${field === '' ? '' : `${field} `}${why}`, options);
    this.trouble = trouble;
  }
}

/** The program that a kubeconfig names for credentials gave none. */
export class CredentialPluginError extends Error {
  override readonly name = 'CredentialPluginError';
  readonly command: string;
  readonly hint: string | undefined;

  constructor(
    command: string,
    why: string,
    options: ErrorOptions & { readonly hint?: string } = {},
  ) {
    super(`${command}: ${why}`, options);
    this.command = command;
    this.hint = options.hint;
  }
}
