/** The source of every event, on which rules match. */
export const EVENT_SOURCE = 'mortise';

/** The kinds of events that are published, as the option `eventKinds` names them. */
export const PUBLISHED_KINDS = [
  'NodeLaunched',
  'NodeDisrupted',
  'LaunchRefused',
  'PodsWaiting',
  'CapReached',
  'RolloutStopped',
] as const;
export type PublishedKind = (typeof PUBLISHED_KINDS)[number];

export const ALL_KINDS = 'all';

/**
 * Reads `all`, or kinds that are separated by commas.
 *
 * @returns `undefined` if one of them is not a kind
 */
export function parsePublishedKinds(text: string): readonly PublishedKind[] | undefined {
  if (text === ALL_KINDS) return PUBLISHED_KINDS;
  const kinds = text.split(',').map((name) => PUBLISHED_KINDS.find((kind) => kind === name.trim()));
  return kinds.every((kind) => kind !== undefined) ? kinds : undefined;
}

/** The bus of each account and region, which exists without being created. */
export const DEFAULT_BUS = 'default';
