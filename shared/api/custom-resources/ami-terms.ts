import { listOf, object, oneOf, text } from '../schema/fields.ts';
import type { Rule } from '../schema/schema.ts';
import { FORMER_IMAGE_FIELDS } from './former-fields.ts';
import { requireOneOf, selectorTags } from './selector-terms.ts';

export const AMI_FAMILIES = [
  'AL2',
  'AL2023',
  'Bottlerocket',
  'Custom',
  'Windows2019',
  'Windows2022',
  'Windows2025',
] as const;

/** The families that an alias may name, in the alias's spelling. */
const ALIAS_FAMILIES: readonly string[] = AMI_FAMILIES.filter((family) => family !== 'Custom').map((family) =>
  family.toLowerCase(),
);

const ALIAS_RULES: readonly Rule[] = [
  {
    id: 'EC-29',
    cel: `self.matches('^(${ALIAS_FAMILIES.join('|')})@')`,
    why: `the family before the @ is one of ${ALIAS_FAMILIES.join(', ')}`,
    fix: 'write al2023@latest, for example',
  },
  {
    id: 'EC-30',
    cel: "!self.startsWith('windows') || self.endsWith('@latest')",
    why: 'Windows families have the version latest only',
    fix: 'write latest behind the @',
  },
  {
    id: 'EC-31',
    cel: "self.matches('^[^@]*@[^@]*$')",
    why: 'there is one @ in an alias',
    fix: 'write al2023@latest, for example',
  },
];

const alone = (id: string, field: string, others: readonly string[]): Rule => ({
  id,
  cel: `!has(self.${field}) || !(${others.map((other) => `has(self.${other})`).join(' || ')})`,
  why: `${field} names one image: ${others.join(', ')} cannot stand beside it`,
  fix: `keep ${field}, or keep the others`,
});

const ONLY_ALIAS: Rule = {
  id: 'EC-13',
  cel: 'self.size() == 1 || !self.exists(term, has(term.alias))',
  why: 'an alias is the only term',
  fix: 'take the other terms out',
};

export const amiSelectorTerms = listOf(
  'The images of the nodes. If several fit an instance type, the newest is used.',
  object('Selects images. All fields must match.', {
    optional: {
      alias: {
        ...text('An EKS image by family and version: al2023@latest, bottlerocket@1.20.0, al2023@v20260901.', {
          maxLength: 30,
          pattern: '^[a-zA-Z0-9]+@.+$',
          wording: {
            noun: 'AMI alias',
            grammar: 'a family, an @ and a version',
            example: 'al2023@latest',
          },
        }),
        rules: ALIAS_RULES,
      },
      tags: selectorTags,
      id: text('The image with this ID.', {
        pattern: '^ami-[0-9a-z]+$',
        wording: {
          noun: 'AMI ID',
          grammar: 'ami- and then digits and lower-case letters',
          example: 'ami-0123456789abcdef0',
        },
      }),
      name: text('Images with this name; * and ? are wildcards.'),
      owner: text(
        'Account that owns the images, or self, amazon, aws-marketplace. Default for a term with a name: self and amazon.',
      ),
      ssmParameter: text('Name or ARN of the SSM parameter that holds the ID of the image.'),
    },
    rules: [
      requireOneOf('EC-10', ['tags', 'id', 'name', 'alias', 'ssmParameter']),
      alone('EC-11', 'id', ['alias', 'tags', 'name', 'owner']),
      alone('EC-12', 'alias', ['id', 'tags', 'name', 'owner']),
    ],
    former: FORMER_IMAGE_FIELDS,
  }),
  { minItems: 1, maxItems: 30, rules: [ONLY_ALIAS] },
);

export const amiFamily = oneOf(
  'How nodes are bootstrapped. Required without an alias. With an alias: the family of the alias, or Custom.',
  AMI_FAMILIES,
);

/** Rules of the EC2NodeClass that concern both fields. */
export const AMI_RULES: readonly Rule[] = [
  {
    id: 'EC-14',
    cel: 'has(self.amiFamily) || self.amiSelectorTerms.exists(term, has(term.alias))',
    why: 'without an alias, amiFamily tells how the node starts',
    fix: 'add amiFamily',
    at: '.amiFamily',
  },
  {
    id: 'EC-15',
    cel: "!has(self.amiFamily) || self.amiFamily == 'Custom' || self.amiSelectorTerms.all(term, !has(term.alias) || term.alias.startsWith(self.amiFamily.lowerAscii() + '@'))",
    why: 'beside an alias, amiFamily is its family or Custom',
    fix: 'take amiFamily out',
    at: '.amiFamily',
  },
];
