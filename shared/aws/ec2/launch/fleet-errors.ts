/**
 * Errors of one offering: EC2 has no capacity, or the account has reached a quota. Another offering
 * may work.
 */
const INSUFFICIENT_CAPACITY: ReadonlySet<string> = new Set([
  'InsufficientInstanceCapacity',
  'MaxSpotInstanceCountExceeded',
  'VcpuLimitExceeded',
  'UnfulfillableCapacity',
  'Unsupported',
  'InsufficientFreeAddressesInSubnet',
  'MaxFleetCountExceeded',
  'ReservationCapacityExceeded',
]);

/** A spread placement group has no more racks or hosts in a zone. */
const SPREAD_LIMIT = 'limit of instances in this spread placement group';

/**
 * The account has never used spot and Mortise may not create the service-linked role, so no spot
 * offering can be launched.
 */
const SPOT_ROLE_MISSING = 'AuthFailure.ServiceLinkedRoleCreationNotPermitted';

/** The reason on the NodeClaim for an error: the first entry whose words all occur in the error. */
const REASONS: readonly (readonly [reason: string, ...words: readonly string[]])[] = [
  ['SpotSLRCreationFailed', SPOT_ROLE_MISSING],
  ['AMIAuthorizationFailure', 'UnauthorizedOperation', 'Not authorized for images'],
  ['AMIAuthorizationFailure', 'AuthFailure', 'Not authorized for images'],
  ['Unauthorized', 'UnauthorizedOperation'],
  ['Unauthorized', 'AccessDenied'],
  ['Unauthorized', 'AuthFailure'],
  ['SecurityGroupSubnetVPCMismatch', 'InvalidParameter', 'belong to different networks'],
  ['InstanceProfileNameInvalid', 'iamInstanceProfile.name is invalid'],
  ['LaunchTemplateNotFound', 'InvalidLaunchTemplateId.NotFound'],
  ['LaunchTemplateNotFound', 'InvalidLaunchTemplateName.NotFound'],
  ['UserDataSizeLimitExceeded', 'User data is limited to'],
  ['InvalidAMIID', 'InvalidAMIID.Malformed'],
  ['AMINotFound', 'InvalidAMIID.NotFound'],
  ['RequestLimitExceeded', 'RequestLimitExceeded'],
  ['InternalError', 'InternalError'],
  ['FreeTierIneligible', 'not eligible for Free Tier'],
  ['FleetQuotaExceeded', 'MaxFleetCountExceeded'],
  ['AccountPendingVerification', 'PendingVerification'],
  ['SpotQuotaExceeded', 'MaxSpotInstanceCountExceeded'],
  ['VCPULimitExceeded', 'VcpuLimitExceeded'],
  ['InsufficientFreeAddressesInSubnet', 'InsufficientFreeAddressesInSubnet'],
];
const OTHER_REASON = 'LaunchFailed';

/** An entry of a CreateFleet response, or the error of the whole request. */
export interface FleetError {
  readonly code: string;
  readonly message: string;
  readonly cause?: unknown;
}

export const isInsufficientCapacity = (error: FleetError): boolean =>
  INSUFFICIENT_CAPACITY.has(error.code) || error.code === SPOT_ROLE_MISSING || isSpreadLimit(error);

/** The placement group is full in a zone, for every type. */
export const isSpreadLimit = ({ message }: FleetError): boolean => message.includes(SPREAD_LIMIT);

/** Every spot offering of the request is unavailable, not only one. */
export const isSpotRoleMissing = ({ code }: FleetError): boolean => code === SPOT_ROLE_MISSING;

const TEMPLATE_MISSING = /^InvalidLaunchTemplate(Id|Name)\.NotFound/;

/** A launch template of the request does not exist, or is not visible yet. */
export const isTemplateMissing = ({ code }: FleetError): boolean => TEMPLATE_MISSING.test(code);

/** EC2 throttled the request and did nothing. Such errors have status 503, like server errors. */
export const isRateLimit = (code: string): boolean =>
  code === 'RequestLimitExceeded' || code === 'Throttling' || code === 'RequestThrottled';

/** Formats as `code: message`, each error once. */
export const formatErrors = (errors: readonly FleetError[]): string => [...new Set(errors.map(textOf))].join('; ');

/** Returns the first reason of the table that matches one of the errors. */
export function findReason(errors: readonly FleetError[]): string {
  const texts = errors.map(textOf);
  const match = REASONS.find(([, ...words]) => texts.some((text) => words.every((word) => text.includes(word))));
  return match?.[0] ?? OTHER_REASON;
}

/** Returns the reason of a single error; insufficient capacity keeps EC2's own code. */
export function findFailureReason(error: FleetError): string {
  const reason = findReason([error]);
  return reason === OTHER_REASON && isInsufficientCapacity(error) ? error.code : reason;
}

const textOf = ({ code, message }: FleetError): string => `${code}: ${message}`;
