/** Another writer changed the claim between our read and our write. */
export class StaleNodeClaimError extends Error {
  override readonly name = 'StaleNodeClaimError';
  readonly claim: string;

  constructor(claim: string, options?: ErrorOptions) {
    super(`NodeClaim ${claim} changed since it was read`, options);
    this.claim = claim;
  }
}

/**
 * This release cannot read a record: a newer release wrote it, or it was changed by hand. Its object
 * is set aside: nothing that concerns it is decided or changed until it can be read.
 */
export class UnreadableRowError extends Error {
  override readonly name = 'UnreadableRowError';
  /** Kind and name, such as `Claim#general-1`. */
  readonly record: string;

  constructor(record: string, options?: ErrorOptions) {
    super(`Record ${record} cannot be read`, options);
    this.record = record;
  }
}

/** Another writer changed or removed the Kubernetes object between our read and our write. */
export class StaleObjectError extends Error {
  override readonly name = 'StaleObjectError';
  readonly object: string;

  constructor(object: string, options?: ErrorOptions) {
    super(`${object} changed since it was read`, options);
    this.object = object;
  }
}

/** The API server refuses to remove a pod for a reason other than a budget, usually a webhook. */
export class PodHeldError extends Error {
  override readonly name = 'PodHeldError';
  readonly why: string;

  constructor(pod: string, { why, ...options }: ErrorOptions & { readonly why: string }) {
    super(`Pod ${pod} is kept: ${why}`, options);
    this.why = why;
  }
}

/** The role of this process lacks a right that only a change of options gives it. */
export class MissingRightError extends Error {
  override readonly name = 'MissingRightError';

  /** @param missing - action and resource, such as `ssm:GetParameter on /images/al2023`, and what gives it */
  constructor({ right, fix }: { readonly right: string; readonly fix: string }, options?: ErrorOptions) {
    super(`no right to ${right}: ${fix}`, options);
  }
}

/** IAM has created an instance profile that EC2 does not know yet, which takes about ten seconds. */
export class ProfilePropagationError extends Error {
  override readonly name = 'ProfilePropagationError';

  constructor(answer: string, options?: ErrorOptions) {
    super(`EC2 does not know the new instance profile yet: ${answer}`, options);
  }
}

/** EC2 refuses to reboot an instance, and would again. */
export class RebootRefusedError extends Error {
  override readonly name = 'RebootRefusedError';

  constructor(instance: string, options?: ErrorOptions) {
    super(`EC2 refuses to reboot ${instance}`, options);
  }
}

/** EC2 refused a launch for a reason that another offering would not solve. */
export class LaunchFailedError extends Error {
  override readonly name = 'LaunchFailedError';
  readonly claim: string;
  /**
   * The reason that Karpenter shows on the NodeClaim: `Unauthorized`, `LaunchTemplateNotFound`, …
   */
  readonly reason: string;
  /** The message of EC2. */
  readonly detail: string;

  constructor(claim: string, reason: string, message: string, options?: ErrorOptions) {
    super(`NodeClaim ${claim} could not be launched: ${message}`, options);
    this.detail = message;
    this.claim = claim;
    this.reason = reason;
  }
}
