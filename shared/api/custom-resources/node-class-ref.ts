import { object, text } from '../schema/fields.ts';
import type { Rule, Schema } from '../schema/schema.ts';
import { FORMER_REF_FIELDS } from './former-fields.ts';

const nonEmpty = (id: string, name: string): Rule => ({
  id,
  cel: "self != ''",
  why: `${name} may not be empty`,
  fix: 'name the class',
});

const refField = (name: string, description: string, limits = {}): Schema<string> => ({
  ...text(description, limits),
  rules: [nonEmpty('NP-10', name)],
});

/** The group and kind of the class cannot change after creation; the name may change. */
const IMMUTABLE_RULES: readonly Rule[] = [
  {
    id: 'NP-08',
    cel: 'self.group == oldSelf.group',
    why: 'the group of a class cannot change',
    fix: 'make a new NodePool',
  },
  {
    id: 'NP-09',
    cel: 'self.kind == oldSelf.kind',
    why: 'the kind of a class cannot change',
    fix: 'make a new NodePool',
  },
];

export const nodeClassRef = ({ isFixed }: { readonly isFixed: boolean }) =>
  object('The NodeClass that configures the nodes.', {
    required: {
      group: refField('group', 'API group of the class: karpenter.k8s.aws.', {
        pattern: '^[^/]*$',
        wording: {
          noun: 'API group',
          grammar: 'a group without its version',
          example: 'karpenter.k8s.aws',
        },
      }),
      kind: refField('kind', 'Kind of the class: EC2NodeClass.'),
      name: refField('name', 'Name of the class.'),
    },
    ...(isFixed && { rules: IMMUTABLE_RULES }),
    former: FORMER_REF_FIELDS,
  });
