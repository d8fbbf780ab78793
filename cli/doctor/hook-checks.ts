import { hookPath, hookUrl } from '../../shared/kubernetes/setup/hook-url.ts';
import type { PlacedHook } from '../../shared/kubernetes/setup/place-hooks.ts';
import { check, type Finding, fail, ok, warn } from '../checks/finding.ts';
import type { Check } from '../documents/doctor.ts';
import type { Facts } from './facts.ts';
import { deployOf, fixOfHooks } from './fixes.ts';

/** Only a stack that chose webhooks needs them. */
export const findHookChecks = (facts: Facts): readonly Check[] =>
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
