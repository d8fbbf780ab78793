import { describe, expect, it } from 'vitest';
import { readSourceFiles } from '../../../scripts/source-files.ts';
import { EVENT_REASONS } from '../../../shared/model/explanations/event-reasons.ts';

const writers = readSourceFiles(
  'shared/kubernetes/events/*.ts',
  'shared/model/explanations/*.ts',
  'shared/model/nodes/node-class.ts',
)
  .filter(({ path }) => path !== 'shared/model/explanations/event-reasons.ts')
  .map(({ text }) => text);

const row = ([reason, { on, when }]: readonly [string, (typeof EVENT_REASONS)[keyof typeof EVENT_REASONS]]): string =>
  `| \`${reason}\` | ${on.join(', ')} | ${when} |`;

const page = `# Kubernetes Events

<!-- Written from shared/model/explanations/event-reasons.ts: \`npx vitest run test/kubernetes/events/event-reasons.test.ts -u\`. -->

\`kubectl describe\` shows these Events on the objects that they are about, and
\`kubectl get events --field-selector reason=Drifted\` all of one reason. The reporting controller is \`mortise\`. The names
are Karpenter's where Karpenter has such an Event. An Event with the same reason and object is not written again for two
minutes, for a node that stays 15 minutes, except once for a warning whose text has changed; one decision writes at most 25. \`mortise explain\` has everything.

| Reason | On | Written when |
| --- | --- | --- |
${Object.entries(EVENT_REASONS).map(row).join('\n')}
`;

describe('the table of Event reasons', () => {
  it('is documented in docs/reference/kubernetes-events.md', async () => {
    await expect(page).toMatchFileSnapshot('../../../docs/reference/kubernetes-events.md');
  });

  it.each(Object.keys(EVENT_REASONS))('contains %s, which some source file writes', (reason) => {
    expect(writers.filter((text) => text.includes(`'${reason}'`))).not.toEqual([]);
  });
});
