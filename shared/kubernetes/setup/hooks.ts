import type { V1MatchCondition, V1ValidatingWebhook, V1ValidatingWebhookConfiguration } from '@kubernetes/client-node';
import type { Json, Manifest } from '../client/json.ts';
import {
  CLAIM_CHANGED,
  CONFIG_CHANGED,
  FOR_EVERY_HOOK,
  NODE_CHANGED,
  NODE_READY,
  POD_PENDING,
} from './hook-conditions.ts';
import { checkHookUrl } from './hook-url.ts';
import { OWNERSHIP_LABELS } from './manifest.ts';

export interface HookTarget {
  /** The token is the last part of the path. */
  readonly url: string;
  /** The authorities that sign the host's certificate, PEM. */
  readonly certificateAuthorities: string;
}

export const HOOKS_NAME = 'mortise';

/** How long the API server waits for the answer, which it ignores. One second is the minimum. */
const HOOK_TIMEOUT_SECONDS = 1;

const ALL_OPERATIONS = ['CREATE', 'UPDATE', 'DELETE'] as const;

interface HookRule {
  readonly group: string;
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  /** `undefined` means `*`, any version. */
  readonly version?: string;
}

interface Hook {
  readonly name: string;
  readonly rules: readonly HookRule[];
  /** `undefined` means Equivalent. */
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  readonly condition: Json<V1MatchCondition>;
}

const HOOKS: readonly Hook[] = [
  {
    name: 'pod-pending',
    rules: [
      {
        group: 'events.k8s.io',
        version: 'v1',
        resources: ['events'],
        operations: ['CREATE', 'UPDATE'],
      },
    ],
    // Events of the core group are the same objects; only kube-scheduler writes events.k8s.io.
    matchPolicy: 'Exact',
    condition: POD_PENDING,
  },
  {
    name: 'node-object',
    rules: [{ group: '', version: 'v1', resources: ['nodes'], operations: ALL_OPERATIONS }],
    condition: NODE_CHANGED,
  },
  {
    name: 'node-ready',
    rules: [{ group: '', version: 'v1', resources: ['nodes/status'], operations: ['UPDATE'] }],
    condition: NODE_READY,
  },
  {
    name: 'claims',
    rules: [{ group: 'karpenter.sh', resources: ['nodeclaims'], operations: ALL_OPERATIONS }],
    condition: CLAIM_CHANGED,
  },
  {
    name: 'config',
    rules: [
      {
        group: 'karpenter.sh',
        resources: ['nodepools', 'nodeoverlays'],
        operations: ALL_OPERATIONS,
      },
      { group: 'karpenter.k8s.aws', resources: ['ec2nodeclasses'], operations: ALL_OPERATIONS },
      { group: 'autoscaling.x-k8s.io', resources: ['capacitybuffers'], operations: ALL_OPERATIONS },
    ],
    condition: CONFIG_CHANGED,
  },
];

/**
 * The webhook configuration that makes the API server notify us. It never denies a request: each
 * webhook fails open within a second.
 *
 * @throws HookUrlError - the API server would refuse the address, or the token would be exposed
 */
export function toHookConfiguration(target: HookTarget): Manifest<V1ValidatingWebhookConfiguration> {
  checkHookUrl(target.url);
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: HOOKS_NAME, labels: OWNERSHIP_LABELS },
    webhooks: HOOKS.map((hook) => toWebhook(hook, target)),
  };
}

const toWebhook = (
  { name, rules, matchPolicy = 'Equivalent', condition }: Hook,
  { url, certificateAuthorities }: HookTarget,
): Json<V1ValidatingWebhook> => ({
  name: `${name}.mortise.sh`,
  clientConfig: { url, caBundle: Buffer.from(certificateAuthorities).toString('base64') },
  rules: rules.map(({ group, version = '*', resources, operations }) => ({
    apiGroups: [group],
    apiVersions: [version],
    resources,
    operations,
    scope: '*',
  })),
  matchPolicy,
  matchConditions: [...FOR_EVERY_HOOK, condition],
  failurePolicy: 'Ignore',
  timeoutSeconds: HOOK_TIMEOUT_SECONDS,
  sideEffects: 'NoneOnDryRun',
  admissionReviewVersions: ['v1'],
});
