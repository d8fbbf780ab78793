import type { BootFacts } from '../../../shared/ec2/node-class/user-data/boot-facts.ts';
import { CLUSTER_FACTS } from '../../support/node-classes.ts';

/** The facts of a node with one label, one taint and 29 pods, in an IPv4 cluster. */
export const bootFacts = (over: Partial<BootFacts> = {}): BootFacts => ({
  cluster: CLUSTER_FACTS,
  labels: { 'karpenter.sh/capacity-type': 'spot', team: 'a' },
  taints: [
    { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
    { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
  ],
  kubelet: { clusterDNS: ['10.100.0.10'], maxPods: 29 },
  usesRaid0: false,
  custom: '',
  ...over,
});

export interface Part {
  readonly type: string;
  readonly body: string;
}

/** Reads a multipart document by RFC 2046, independently of the code that writes it. */
export function partsOf(document: string): readonly Part[] {
  const [head = '', ...rest] = document.split('\n\n');
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? '';
  const lines = rest.join('\n\n').split('\n');
  const blocks: string[][] = [];
  for (const line of lines) {
    if (line === `--${boundary}--`) break;
    if (line === `--${boundary}`) blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.map((block) => {
    const blank = block.indexOf('');
    const headers = block.slice(0, blank).join('\n');
    return {
      type: /^content-type:\s*(.*)$/im.exec(headers)?.[1] ?? '',
      body: block
        .slice(blank + 1)
        .join('\n')
        .trim(),
    };
  });
}
