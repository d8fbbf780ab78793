/** The webhooks use match conditions, which are stable since this minor version. */
export const MIN_MINOR_VERSION = 30;

/** True for a version like `1.29` that is older than what the webhooks need. */
export const isTooOld = (version: string): boolean =>
  Number(version.split('.')[1]) < MIN_MINOR_VERSION;

/** The command that gives a cluster access entries, which functions and nodes need. */
export const enableAccessEntries = (cluster: string): string =>
  `aws eks update-cluster-config --name ${cluster} --access-config authenticationMode=API_AND_CONFIG_MAP`;
