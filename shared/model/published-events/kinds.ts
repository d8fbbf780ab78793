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

const ALL_KINDS = 'all';

/** Completes "The option eventKinds is …; it …". */
export const KINDS_PROBLEM = `must be ${ALL_KINDS}, or some of ${PUBLISHED_KINDS.join(', ')}, separated by commas`;

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

export const isBusName = (text: string): boolean => /^[\w./-]{1,256}$/.test(text);

/** Completes "The option eventBus is …; it …". */
export const BUS_PROBLEM = 'must be the name of an event bus; not its ARN';
