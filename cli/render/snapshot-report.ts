import type { SnapshotReport } from '../documents/snapshot-report.ts';
import { counted, countText } from './numbers.ts';

export function snapshotText({ file, bytes, decisions, pods, nodes, nodeClaims, nodePools }: SnapshotReport): string {
  const objects = [
    counted(pods, 'pod'),
    counted(nodes, 'node'),
    counted(nodeClaims, 'NodeClaim'),
    counted(nodePools, 'NodePool'),
    counted(decisions.length, 'decision'),
  ];
  return `${file}  ${countText(Math.ceil(bytes / 1_000))} kB\n${objects.join(', ')}\n`;
}
