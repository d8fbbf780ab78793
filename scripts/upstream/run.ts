import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { classify } from './classified.ts';
import { compareFacts, type Difference } from './compare.ts';
import { listKarpenterFacts } from './karpenter-facts.ts';
import { listKubeletFacts } from './kubelet-facts.ts';
import { AWS, CORE, fetchModule, findRequired, KUBELET, type ServedModule } from './modules.ts';
import { listOurFacts } from './our-facts.ts';

/**
 * Implements `npm run upstream`: compares the surface of the newest Karpenter and the fields of the newest
 * kubelet, or of the versions after `--core`, `--aws` and `--kubelet`, with ours. Exits with 1 if a difference has no line in
 * docs/reference/upstream.md, or a line has no difference.
 */

const { values: named } = parseArgs({
  options: { core: { type: 'string' }, aws: { type: 'string' }, kubelet: { type: 'string' } },
});

const aws = await fetchModule(AWS, named.aws);
const core = await fetchModule(CORE, named.core, await findRequired(aws.folder, CORE));
const kubelet = await fetchModule(KUBELET, named.kubelet);
const theirs = [...listKarpenterFacts(core, aws), ...listKubeletFacts(kubelet.folder)];
const differences = compareFacts(theirs, listOurFacts());
const page = (name: string): Promise<string> =>
  readFile(new URL(`../../docs/reference/${name}.md`, import.meta.url), 'utf8');
const { unclassified, outdated } = classify(differences, await page('upstream'), await page('metrics'));

const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const sayVersions = ({ path, version, withheld }: ServedModule): boolean =>
  say(`${path} ${version}${withheld.length > 0 ? ` (the proxy withholds ${withheld.join(', ')})` : ''}`);
const detail = (difference: Difference): string =>
  `  \`${difference.id}\` ${difference.digest}\n    Karpenter: ${difference.theirs ?? '–'}\n    Mortise: ${difference.ours ?? '–'}`;

sayVersions(core);
sayVersions(aws);
sayVersions(kubelet);
say(
  `${theirs.length} facts, ${differences.length} differences, ${unclassified.length} unclassified, ${outdated.length} outdated lines`,
);
for (const difference of unclassified) say(detail(difference));
for (const id of outdated) say(`  no difference any more: \`${id}\``);
if (unclassified.length + outdated.length > 0) {
  say('Follow Karpenter, or add a line with the reason to docs/reference/upstream.md.');
  process.exitCode = 1;
}
