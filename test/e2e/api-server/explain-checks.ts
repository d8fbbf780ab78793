import { deepStrictEqual } from 'node:assert/strict';
import { listReferenceFields } from '../../../scripts/reference/fields.ts';
import { CUSTOM_KINDS } from '../../../shared/api/custom-resources/crds.ts';
import { apiVersionOf } from '../../../shared/api/schema/custom-kind.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect } from '../scenario.ts';
import type { KubectlChecks } from './checks.ts';

const MEANINGS: Readonly<Record<string, string>> = {
  nodepools: 'Nodes of one kind that a cluster may have',
  'nodepool.spec.template.spec.expireAfter': 'A node is replaced at this age.',
  'nodepool.spec.disruption.budgets.schedule': 'as a cron schedule in UTC',
  'nodeclaim.spec.resources.requests': 'Minimum amounts, by resource.',
  'ec2nc.spec.amiSelectorTerms.alias': 'An EKS image by family and version',
  'ec2nodeclass.status.conditions': 'Conditions of the object, by type.',
  'overlays.spec.capacity': 'Extended resources of the nodes, in addition to those of the instance type.',
  'cb.spec.percentage': "share of the workload's replicas",
};

/** Checks of the texts that `kubectl explain` prints. */
export const EXPLAIN_CHECKS: KubectlChecks = {
  'kubectl explain tells what a field means': async (kubectl) => {
    for (const [field, meaning] of Object.entries(MEANINGS)) {
      // The API server publishes a new CRD in its OpenAPI document some seconds later.
      const text = await waitUntil(`kubectl to know ${field}`, () => kubectl(['explain', field]));

      expect(text.replaceAll(/\s+/g, ' ').includes(meaning), text);
    }
  },

  'kubectl explain knows every field': async (kubectl) => {
    for (const kind of CUSTOM_KINDS) {
      const text = await kubectl(['explain', kind.plural, `--api-version=${apiVersionOf(kind)}`, '--recursive']);
      const names = [kind.spec, kind.status].flatMap((node) =>
        listReferenceFields(node).flatMap(({ path }) => path.split('.').at(-1)?.replace(/\[\]$/, '') ?? []),
      );
      const documentedFields = new Set([...text.matchAll(/^\s+(\S+)\t/gm)].map(([, name]) => name));

      deepStrictEqual(
        names.filter((name) => name !== '*' && !documentedFields.has(name)),
        [],
      );
    }
  },
};
