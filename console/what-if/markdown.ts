import { formatInstant } from '../../shared/model/time.ts';
import type { WhatIfPart, WhatIfRequest, WhatIfRow } from '../screen-views.ts';

interface PlannedChange {
  readonly at: number;
  readonly summary: string;
  readonly rows: readonly WhatIfRow[];
  readonly parts: readonly WhatIfPart[];
  readonly notes: readonly string[];
  /** The proposed change that is tried; undefined for none. */
  readonly fix: { readonly text: string } | undefined;
}

/** Longer lists are cut: the text is for a pull request or a chat. */
const MAX_LINES = 20;

export function toMarkdown({ at, summary, rows, parts, notes, fix }: PlannedChange, request: WhatIfRequest): string {
  const blocks = [
    `### What if: ${describeRequest(request, fix)}`,
    summary,
    [
      '| | Now | Later, unchanged | Later, changed |',
      '| --- | ---: | ---: | ---: |',
      ...rows.map((row) => `| ${row.label} | ${row.now} | ${row.unchanged} | ${row.changed} |`),
    ].join('\n'),
    ...parts.map(({ title, lines }) => `**${title}**\n\n${toList(lines)}`),
    ...(request.yaml === undefined ? [] : [`\`\`\`yaml\n${request.yaml.trim()}\n\`\`\``]),
    `Snapshot of ${formatInstant(at)}. ${notes.join(' ')}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

function toList(lines: readonly string[]): string {
  const shown = lines.slice(0, MAX_LINES).map((line) => `- ${line}`);
  const rest = lines.length - shown.length;
  return [...shown, ...(rest > 0 ? [`- ${rest} more`] : [])].join('\n');
}

/** `shop/web has 40 pods, us-east-1a is lost`. */
function describeRequest(
  { scale, lostZone, losesSpot, spotPriceFactor, yaml }: WhatIfRequest,
  fix: PlannedChange['fix'],
): string {
  const parts = [
    ...(fix ? [fix.text] : []),
    ...(scale ? [`${scale.namespace}/${scale.name} has ${scale.replicas} pods`] : []),
    ...(lostZone === undefined ? [] : [`${lostZone} is lost`]),
    ...(losesSpot ? ['EC2 takes back all spot nodes'] : []),
    ...(spotPriceFactor === undefined ? [] : [`spot prices times ${spotPriceFactor}`]),
    ...(yaml === undefined ? [] : ['manifests are applied']),
  ];
  return parts.length === 0 ? 'nothing changes' : parts.join(', ');
}
