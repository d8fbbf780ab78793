import type { NodeLog } from '../documents/node-log.ts';

const FINDINGS: Readonly<Record<NonNullable<NodeLog['finding']>, string>> = {
  'no-route': 'the node does not reach the API server: check routes, endpoints and security groups',
  'no-access-entry': 'the API server does not accept the node: its role needs an access entry',
  'wrong-ami': 'neither nodeadm nor a kubelet starts: the image is no image of EKS',
};

/** Formats each text under its source, and the cause that they show at the end. */
export function nodeLogText({ instance, nodeClaim, node, parts, finding }: NodeLog): string {
  return [
    [instance, nodeClaim, node].filter(Boolean).join('  '),
    ...parts.flatMap(({ from, text, why }) => [
      `--- ${from}`,
      text ?? why ?? 'nothing yet: EC2 shows the console some minutes after the boot',
    ]),
    ...(finding === undefined ? [] : [`cause: ${FINDINGS[finding]}`]),
    '',
  ].join('\n');
}
