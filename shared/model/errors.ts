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

/** The API server keeps a pod that is to leave, and not for a budget: a webhook says no, most likely. */
export class PodHeldError extends Error {
  override readonly name = 'PodHeldError';
  readonly why: string;

  constructor(pod: string, { why, ...options }: ErrorOptions & { readonly why: string }) {
    super(`Pod ${pod} is kept: ${why}`, options);
    this.why = why;
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
