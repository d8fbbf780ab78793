import { hookPath, hookUrl } from '../../shared/kubernetes/setup/hook-url.ts';
import type { PlacedHook } from '../../shared/kubernetes/setup/place-hooks.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import { formatInstant, MINUTE_MS } from '../../shared/model/time.ts';
import { check, type Finding, fail, ok, warn } from '../checks/finding.ts';
import type { Check } from '../documents/doctor.ts';
import type { Facts, NodeRoleFacts, ObjectFacts, QueueFacts } from './facts.ts';
import { findNodeChecks } from './live-nodes.ts';

/** AWS refuses requests that are signed five minutes too early or too late. */
const MAX_SKEW_MS = 4 * MINUTE_MS;
/** Karpenter renews its lease every few seconds. */
const KARPENTER_SILENT_MS = MINUTE_MS;

/** Judges the facts of a deployed stack. Each finding that is not `ok` names its fix. */
export const evaluateFacts = (facts: Facts): readonly Check[] => [
  ...check('cluster', 'clock', facts.eks, ({ clockSkewMs: skew }) =>
    Math.abs(skew) > MAX_SKEW_MS
      ? [warn(`this clock differs from AWS by ${Math.round(skew / MINUTE_MS)} min`, 'set the clock')]
      : [ok('this clock agrees with AWS')],
  ),
  ...check('cluster', 'crds', facts.crds, (crds) =>
    crds.map(({ name, version, isInstalled, keeper, isUsable }) => {
      if (!isInstalled) return fail(`${name} is not installed`, fixOfCluster(facts));
      if (!isUsable) {
        const by = keeper ?? 'an older release';
        return fail(`${name}, kept by ${by}, does not serve ${version}`, `upgrade it with ${by}`);
      }
      return keeper === undefined
        ? ok(`${name} is installed`)
        : warn(`${name} is kept by ${keeper}`, `upgrade it with ${keeper} when you upgrade Mortise`);
    }),
  ),
  ...check('stack', 'deployed', facts.stack, (stack) => {
    if (!stack) return [fail(`no stack serves ${facts.cluster}`, deployOf(facts))];
    const isDone = /^(?:CREATE|UPDATE|IMPORT)_COMPLETE$/.test(stack.status);
    return isDone
      ? [ok(`${stack.name} is ${stack.status}`)]
      : [fail(`${stack.name} is ${stack.status}`, 'the events of the stack name the cause')];
  }),
  ...check('stack', 'uninstalled', facts.uninstalledUntil, (until) =>
    until === undefined
      ? []
      : [
          warn(
            `mortise uninstall has stopped all decisions until ${formatInstant(until)}`,
            'mortise destroy removes the stack; kubectl delete lease mortise --namespace kube-system lets it work again',
          ),
        ],
  ),
  ...check('stack', 'quiet', facts.quietUntil, (until) =>
    until === undefined
      ? []
      : [
          warn(
            `no node is disrupted voluntarily before ${formatInstant(until)}: quiet-after-hand-over`,
            'none: another owner had the cluster until a moment ago',
          ),
        ],
  ),
  ...check('queue', 'exists', facts.queues, (queues) => judgeQueues(queues, facts.cluster)),
  ...check('queue', 'dead-letters', facts.queues, judgeDeadLetters),
  ...findHookChecks(facts),
  ...check('nodes', 'access-entry', facts.nodeRoles, (roles) => roles.map((role) => judgeRole(role, facts.cluster))),
  ...check('nodes', 'ipv6', facts.nodeRoles, judgeAddresses),
  ...check('nodes', 'classes', facts.nodeClasses, (classes) => judgeObjects('EC2NodeClass', classes, fixOfClass)),
  ...findNodeChecks(facts),
  ...check('pools', 'ready', facts.nodePools, (pools) =>
    judgeObjects('NodePool', pools, (name) => `mortise explain nodepool ${name}`),
  ),
  ...check('foreign', 'karpenter', facts.karpenterRenewedAt, (renewedAt) =>
    renewedAt !== undefined && facts.now - renewedAt < KARPENTER_SILENT_MS
      ? [
          warn(
            'Karpenter runs: Mortise stands by and launches nothing',
            'kubectl scale deployment karpenter --namespace kube-system --replicas 0',
          ),
        ]
      : [ok('Karpenter does not run')],
  ),
];

function judgeQueues(queues: readonly QueueFacts[], cluster: string): readonly Finding[] {
  const missing = queues.filter(({ messages }) => messages === undefined);
  if (missing.length === 0) return [ok(`the ${queues.length} queues of the stack exist`)];
  return missing.map(({ name }) =>
    fail(
      `the queue ${name} of the stack was deleted`,
      `mortise destroy --cluster ${cluster} --keep-nodes, then mortise deploy --cluster ${cluster}: nodes run on, and the new stack takes them over`,
    ),
  );
}

function judgeDeadLetters(queues: readonly QueueFacts[]): readonly Finding[] {
  const deadLetters = queues.filter(({ isDeadLetters, messages }) => isDeadLetters && messages !== undefined);
  const full = deadLetters.filter(({ messages = 0 }) => messages > 0);
  if (full.length === 0) return [ok(`no message in ${deadLetters.length} dead-letter queues`)];
  return full.map(({ name, messages }) =>
    warn(
      `${messages} messages in ${name}`,
      'the function’s log names the error; then start a redrive in the console of SQS',
    ),
  );
}

/** Only in IPv6 clusters the VPC CNI assigns prefixes, by default with the role of the node. */
function judgeAddresses(roles: readonly NodeRoleFacts[]): readonly Finding[] {
  const lacking = roles.filter(({ mayAssignIpv6 }) => mayAssignIpv6 === false);
  if (lacking.length === 0) return [ok('nodes may assign the addresses of pods')];
  return lacking.map(({ name }) =>
    warn(
      `the cluster uses IPv6, and role ${name} may not ec2:AssignIpv6Addresses: nodes stay NotReady unless the VPC CNI has a role of its own`,
      `allow ec2:AssignIpv6Addresses to role ${name}, or give the VPC CNI a role by Pod Identity or IRSA`,
    ),
  );
}

function judgeRole({ name, classes, arn, entryType }: NodeRoleFacts, cluster: string): Finding {
  const users = `EC2NodeClass ${classes.join(', ')}`;
  if (arn === undefined) {
    return fail(`no IAM role ${name}, which ${users} names`, 'correct spec.role, or create the role');
  }
  if (entryType === undefined) {
    return fail(
      `no access entry for role ${name}: nodes of ${users} cannot join`,
      `aws eks create-access-entry --cluster-name ${cluster} --type EC2_LINUX --principal-arn ${arn}`,
    );
  }
  return /^EC2/.test(entryType)
    ? ok(`role ${name} has an access entry of type ${entryType}`)
    : fail(
        `the access entry of role ${name} is of type ${entryType}: nodes of ${users} cannot join`,
        `aws eks delete-access-entry --cluster-name ${cluster} --principal-arn ${arn}, and Mortise creates another one`,
      );
}

function judgeObjects(
  kind: string,
  objects: readonly ObjectFacts[],
  fixOf: (name: string, type: string) => string,
): readonly Finding[] {
  if (objects.length === 0) return [fail(`there is no ${kind}`, 'apply one, see examples/')];
  return objects.map(({ name, falseConditions, refusal }) => {
    const rollout = falseConditions.find(({ type }) => type === ROLLOUT);
    // Ready repeats the others.
    const [cause] = falseConditions
      .filter((condition) => condition !== rollout)
      .toSorted((a, b) => Number(a.type === 'Ready') - Number(b.type === 'Ready'));
    if (cause) return fail(`${kind} ${name}: ${cause.type}: ${cause.message}`, fixOf(name, cause.type));
    if (refusal) return fail(`${kind} ${name}: Mortise launches nothing from it: ${refusal.what}`, refusal.fix);
    if (rollout?.reason === 'RolloutStopped')
      return warn(`${kind} ${name}: ${rollout.message}`, fixOf(name, rollout.type));
    return ok(`${kind} ${name} is ready${rollout ? `: ${rollout.message}` : ''}`);
  });
}

/** False while nodes are replaced, which is no fault. */
const ROLLOUT = 'RolloutComplete';

/** Conditions that a missing tag makes false. */
const SELECTORS: Readonly<Record<string, string>> = {
  SubnetsReady: 'subnetSelectorTerms',
  SecurityGroupsReady: 'securityGroupSelectorTerms',
};

function fixOfClass(name: string, type: string): string {
  const selector = ownValue(SELECTORS, type);
  return selector === undefined
    ? `kubectl describe ec2nodeclass ${name} shows the condition`
    : `aws ec2 create-tags with the tags of spec.${selector}, or correct the selector`;
}

/** Only a stack that chose webhooks needs them. */
const findHookChecks = (facts: Facts): readonly Check[] =>
  check('hook', 'placed', facts.installation, (installed): readonly Finding[] => {
    if (installed?.eventSource !== 'hook') {
      return [ok(installed ? `events come from ${installed.eventSource}` : 'no stack')];
    }
    const { hooks } = installed;
    if (hooks.state === 'withdrawn') {
      const fix =
        hooks.by === 'breaker'
          ? 'they return when the API server is fast again; functions look every five seconds until then'
          : fixOfHooks(facts, 'restore-hooks');
      return [warn(`the webhooks are off: ${hooks.why}`, fix)];
    }
    // The removal of a stack leaves this; only a deployment places the webhooks again.
    if (hooks.state === 'none') return [fail('the stack was removed', deployOf(facts))];
    return 'unread' in facts.hooks
      ? [{ status: 'unknown', evidence: facts.hooks.unread }]
      : judgeHooks(facts, facts.hooks.value);
  });

function judgeHooks(facts: Facts, hooks: readonly PlacedHook[] | undefined): readonly Finding[] {
  const fix = fixOfHooks(facts, 'keep');
  if (hooks === undefined) return [fail('the webhook configuration mortise is missing', fix)];
  const address = 'unread' in facts.repair ? undefined : facts.repair.value?.hookAddress;
  if (address === undefined) return [ok('the webhooks are placed')];
  const right = withoutToken(hookUrl(address, hookPath(facts.cluster, '')));
  const wrong = hooks.filter(({ url }) => url === undefined || withoutToken(url) !== right);
  if (wrong.length === 0) return [ok(`${hooks.length} webhooks call ${right}`)];
  return wrong.map(({ name, url }) =>
    fail(`the webhook ${name} calls ${url === undefined ? 'a Service' : withoutToken(url)}, not ${right}`, fix),
  );
}

/** The last segment of the path is a secret. */
const withoutToken = (url: string): string => url.slice(0, url.lastIndexOf('/') + 1);

const deployOf = ({ cluster }: Facts): string => `mortise deploy --cluster ${cluster}`;

/** A deployment without a change calls no function, so it repairs nothing in the cluster. */
function fixOfCluster(facts: Facts): string {
  const { stack, repair } = facts;
  if ('unread' in stack || 'unread' in repair) return HOURLY;
  if (stack.value === undefined) return deployOf(facts);
  return repair.value === undefined ? HOURLY : invoke(repair.value.setup, 'repair');
}

const HOURLY = 'the functions of the stack repair it within the hour';

const invoke = (name: string, action: string): string =>
  `aws lambda invoke --function-name ${name} --cli-binary-format raw-in-base64-out --payload '{"action":"${action}"}' /dev/stdout`;

/** Only the function that places webhooks knows their token. */
const fixOfHooks = ({ repair }: Facts, action: 'keep' | 'restore-hooks'): string =>
  'unread' in repair || repair.value === undefined ? HOURLY : invoke(repair.value.webhookControl, action);
