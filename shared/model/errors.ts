/** Somebody else changed the claim between our read and our write. */
export class StaleNodeClaimError extends Error {
  override readonly name = 'StaleNodeClaimError';
  readonly claim: string;

  constructor(claim: string, options?: ErrorOptions) {
    super(`NodeClaim ${claim} changed since it was read`, options);
    this.claim = claim;
  }
}

/** Somebody else changed or removed the Kubernetes object between our read and our write. */
export class StaleObjectError extends Error {
  override readonly name = 'StaleObjectError';
  readonly object: string;

  constructor(object: string, options?: ErrorOptions) {
    super(`${object} changed since it was read`, options);
    this.object = object;
  }
}

/** EC2 refused to launch for a cause that another offering would not cure. */
export class LaunchFailedError extends Error {
  override readonly name = 'LaunchFailedError';
  readonly claim: string;
  /** `Unauthorized`, `LaunchTemplateNotFound`, …: as Karpenter names it on the NodeClaim. */
  readonly reason: string;
  /** What EC2 said. */
  readonly detail: string;

  constructor(claim: string, reason: string, message: string, options?: ErrorOptions) {
    super(`NodeClaim ${claim} could not be launched: ${message}`, options);
    this.detail = message;
    this.claim = claim;
    this.reason = reason;
  }
}
