import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CUSTOM_KINDS } from '../../shared/api/custom-resources/crds.ts';
import { APPLY_CHECKS } from './api-server/apply-checks.ts';
import type { KubectlChecks } from './api-server/checks.ts';
import { COLUMN_CHECKS } from './api-server/column-checks.ts';
import { compareVerdicts } from './api-server/compare-verdicts.ts';
import { checkExplain, EXPLAIN_READER } from './api-server/explain/check-explain.ts';
import { EXPLAIN_CHECKS } from './api-server/explain-checks.ts';
import { MANAGER_CHECKS } from './api-server/manager-checks.ts';
import { checkSetup } from './api-server/setup-checks.ts';
import { SHAPE_CHECKS } from './api-server/shape-checks.ts';
import { applyCrds } from './lab/kubernetes/apply-crds.ts';
import { auditFlags } from './lab/kubernetes/audit-log.ts';
import { startControlPlane } from './lab/kubernetes/control-plane.ts';
import { findControlPlane } from './lab/kubernetes/control-plane-binary.ts';
import { createKubectl } from './lab/kubernetes/kubectl.ts';
import { createPrograms } from './lab/programs.ts';

/**
 * `npm run e2e -- api`: runs our CRDs on a real kube-apiserver. Every row of the checklist and every
 * recorded case is sent to it, and kubectl's output is checked. Then `mortise explain` is asked about
 * its objects, with an emulated EC2.
 */

/** The checks in this order: some of them read objects that earlier checks have applied. */
const CHECKS: KubectlChecks = {
  ...EXPLAIN_CHECKS,
  ...APPLY_CHECKS,
  ...COLUMN_CHECKS,
  ...MANAGER_CHECKS,
  ...SHAPE_CHECKS,
};

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const folder = mkdtempSync(join(tmpdir(), 'mortise-api-'));
const programs = createPrograms(folder);
const failures: string[] = [];
try {
  const controlPlane = await startControlPlane({
    programs,
    findPart: await findControlPlane(say),
    folder,
    // No request has a token that the API server does not know.
    tokenReviewUrl: 'http://127.0.0.1:1/',
    more: {
      apiserver: auditFlags(folder, { users: [EXPLAIN_READER] }),
      // No kubelet renews the leases of the nodes.
      'controller-manager': ['--node-monitor-grace-period=1h'],
    },
  });
  const kubectl = createKubectl(controlPlane.kubectl, controlPlane.kubeconfig);
  await applyCrds(kubectl);
  for (const [name, check] of Object.entries(CHECKS)) {
    const failure = await check(kubectl).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    say(`${failure === undefined ? 'ok    ' : 'FAILED'} ${name}`);
    if (failure !== undefined) failures.push(`${name}: ${failure}`);
  }
  await kubectl(['delete', CUSTOM_KINDS.map(({ plural }) => plural).join(), '--all']);
  failures.push(...(await checkSetup(controlPlane, say)));
  const { caseCount, accepted, differing } = await compareVerdicts(controlPlane.kubeconfig);
  failures.push(...differing);
  failures.push(...(await checkExplain({ controlPlane, programs, folder, say })));
  process.stdout.write(`${JSON.stringify({ asked: caseCount, accepted, differing: differing.length, failures })}\n`);
} catch (error) {
  failures.push(String(error));
  say(programs.tails(10));
}
for (const failure of failures) say(failure);
await programs.endAll();
rmSync(folder, { recursive: true, force: true });
process.exit(failures.length === 0 ? 0 : 1);
