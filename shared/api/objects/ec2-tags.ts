import { mapOf, text } from '../schema/fields.ts';
import type { Rule } from '../schema/schema.ts';

const kept = (id: string, cel: string, why: string): Rule => ({
  id,
  cel: `self.all(key, ${cel})`,
  why,
  fix: 'take the tag out',
});

/** Keys that the autoscaler itself writes, to find its own again. */
const OURS: Readonly<Record<string, string>> = {
  'EC-23': 'karpenter.sh/nodepool',
  'EC-24': 'karpenter.sh/nodeclaim',
  'EC-25': 'karpenter.k8s.aws/ec2nodeclass',
};

export const ec2Tags = mapOf(
  'Tags of everything that is made for a node. A Name of yours replaces ours.',
  text('Value of the tag.'),
  {
    rules: [
      kept('EC-20', "key != ''", 'a tag has a key'),
      kept('EC-21', "key != 'eks:eks-cluster-name'", 'eks:eks-cluster-name is written for you'),
      kept(
        'EC-22',
        "!key.startsWith('kubernetes.io/cluster')",
        'tags that begin with kubernetes.io/cluster are written for you',
      ),
      ...Object.entries(OURS).map(([id, key]) =>
        kept(id, `key != '${key}'`, `${key} is written for you`),
      ),
    ],
  },
);
