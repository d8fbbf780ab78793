/** EC2 has none of the offering, or the account may have no more of it: another one may do. */
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

/** A group that keeps its instances on racks or hosts of their own has no more of those in a zone. */
const SPREAD_LIMIT = 'limit of instances in this spread placement group';

/** The account has never used spot, and we may not change that: no spot offering will do. */
const SPOT_ROLE_MISSING = 'AuthFailure.ServiceLinkedRoleCreationNotPermitted';

/** What an error is called on a NodeClaim: the first whose words are all in it. */
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

/** One error, whether it was an entry of the answer or the answer itself. */
export interface FleetError {
  readonly code: string;
  readonly message: string;
  readonly cause?: unknown;
}

export const isInsufficientCapacity = (error: FleetError): boolean =>
  INSUFFICIENT_CAPACITY.has(error.code) || error.code === SPOT_ROLE_MISSING || isSpreadLimit(error);

/** Not an offering has run dry, but a placement group in a zone, whatever the type. */
export const isSpreadLimit = ({ message }: FleetError): boolean => message.includes(SPREAD_LIMIT);

/** Not one offering lacks capacity: every spot offering of the request does. */
export const isSpotRoleMissing = ({ code }: FleetError): boolean => code === SPOT_ROLE_MISSING;

const TEMPLATE_MISSING = /^InvalidLaunchTemplate(Id|Name)\.NotFound/;

/** One of the request's launch templates is not there, or not yet. */
export const isTemplateMissing = ({ code }: FleetError): boolean => TEMPLATE_MISSING.test(code);

/** EC2 did nothing: too much was asked of it. Comes with 503, as if it had failed. */
export const isRateLimit = (code: string): boolean =>
  code === 'RequestLimitExceeded' || code === 'Throttling' || code === 'RequestThrottled';

/** `code: message`, each once. */
export const formatErrors = (errors: readonly FleetError[]): string =>
  [...new Set(errors.map(textOf))].join('; ');

/** The reason that comes first in the table and is true of one of the errors. */
export function findReason(errors: readonly FleetError[]): string {
  const texts = errors.map(textOf);
  const match = REASONS.find(([, ...words]) =>
    texts.some((text) => words.every((word) => text.includes(word))),
  );
  return match?.[0] ?? OTHER_REASON;
}

/** The same for one entry of an answer; what is a lack of capacity is called as EC2 calls it. */
export function findFailureReason(error: FleetError): string {
  const reason = findReason([error]);
  return reason === OTHER_REASON && isInsufficientCapacity(error) ? error.code : reason;
}

const textOf = ({ code, message }: FleetError): string => `${code}: ${message}`;
