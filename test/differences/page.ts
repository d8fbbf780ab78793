import { ACCEPTED } from './accepted.ts';
import { PLAYED, TESTED } from './differences.ts';

const formatSettings = (settings: Readonly<Record<string, string>> | undefined): string =>
  settings === undefined
    ? 'none'
    : Object.entries(settings)
        .map(([name, value]) => `\`${name}=${value}\``)
        .join(', ');

const toRow = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const toTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [toRow(...head), toRow(...head.map(() => '---')), ...rows.map((row) => toRow(...row))].join('\n');

/** The page `docs/migrate/differences.md`. */
export const buildDifferencesPage = (): string =>
  `${[
    '# What behaves differently from Karpenter',
    "`consolidateAfter`, budgets, policies and annotations have the meaning that they have in Karpenter: an empty node goes when `consolidateAfter` has passed, and a node with pods is looked at then. This page lists what differs, and the [setting](../reference/settings.md) that restores Karpenter's behaviour. [Differences to Karpenter](../reference/upstream.md) lists fields, gates, keys and metrics.",
    '## Seen in small clusters',
    toTable(
      ['', 'Karpenter', 'Mortise', 'Restored by'],
      PLAYED.map(({ topic, karpenter, mortise, restoredBy }) => [
        topic,
        karpenter,
        mortise,
        formatSettings(restoredBy),
      ]),
    ),
    'The simulator runs small clusters with both. Under the rules of Karpenter ([`karpenter-disruption.ts`](../../test/support/karpenter-disruption.ts)) the same is seen as with the setting:',
    toTable(
      ['Cluster', 'By default', 'With the setting, and under the rules of Karpenter'],
      PLAYED.map(({ scene: { title, byDefault, asKarpenter } }) => [title, byDefault, asKarpenter]),
    ),
    '## Further differences',
    toTable(
      ['', 'Karpenter', 'Mortise', 'Restored by', 'Test'],
      TESTED.map(({ topic, karpenter, mortise, restoredBy, test }) => [
        topic,
        karpenter,
        mortise,
        formatSettings(restoredBy),
        `[\`${test.split('/').at(-1) ?? test}\`](../../${test})`,
      ]),
    ),
    '## What is accepted',
    'Mortise accepts the manifests that Karpenter accepts, with these intended exceptions:',
    toTable(['', 'Karpenter', 'Mortise'], ACCEPTED),
    '`mortise validate` also warns where Karpenter does not: a selector term with an id and tags, volumes whose IOPS or throughput EC2 refuses, and schedules that cannot be computed.',
  ].join('\n\n')}\n`;
