type UserDataReason = 'UserDataInvalid' | 'UserDataSizeLimitExceeded';

/** The user data of a class cannot become a node's. */
export class UserDataError extends Error {
  override readonly name = 'UserDataError';
  /** As conditions and launches call it. */
  readonly reason: UserDataReason;

  constructor(message: string, options: ErrorOptions & { reason?: UserDataReason } = {}) {
    super(message, options);
    this.reason = options.reason ?? 'UserDataInvalid';
  }
}
