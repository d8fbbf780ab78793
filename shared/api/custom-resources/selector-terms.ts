import { listOf, mapOf, object, oneOf, text } from '../schema/fields.ts';
import type { Rule, Wording } from '../schema/schema.ts';
import { addOneOf } from './add-one-of.ts';
import { FORMER_TERM_FIELDS } from './former-fields.ts';

/** How a NodeClass selects AWS resources: any term may match, and all fields of a term must. */

const idOf = (noun: string, prefix: string): { pattern: string; wording: Wording } => ({
  pattern: `^${prefix}-[0-9a-z]+$`,
  wording: {
    noun,
    grammar: `${prefix}- and then digits and lower-case letters`,
    example: `${prefix}-0123456789abcdef0`,
  },
});

const NON_EMPTY_TAGS: Rule = {
  id: 'EC-08',
  cel: "self.all(key, key != '' && self[key] != '')",
  why: 'neither key nor value of a tag may be empty',
  fix: 'name both; the value "*" stands for any',
};

export const selectorTags = mapOf(
  'Tags that the resource must have; the value "*" matches any value.',
  text('Value of the tag.'),
  { maxProperties: 20, rules: [NON_EMPTY_TAGS] },
);

/** A rule against empty items of a list. */
export const requireOneOf = (id: string, fields: readonly string[]): Rule => ({
  id,
  cel: fields.map((field) => `has(self.${field})`).join(' || '),
  why: `a term selects by ${fields.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`,
  fix: `add one of ${fields.join(', ')}`,
});

/**
 * A rule that `field` must be the only field of its term. Like Karpenter, the API server refuses a
 * list only if every term mixes fields. A list with one valid term works, and `mortise validate`
 * warns of the others.
 */
const forbidBeside = (id: string, field: string, others: readonly string[]): Rule => ({
  id,
  cel: `!self.all(term, has(term.${field}) && (${others.map((other) => `has(term.${other})`).join(' || ')}))`,
  why: `${field} names one thing: ${others.join(', ')} cannot stand beside it`,
  fix: `keep ${field}, or keep the others`,
});

const SOME_SUBNET: Rule = {
  id: 'EC-01',
  cel: 'self.size() > 0',
  why: 'nodes need a subnet',
  fix: 'add a term',
};

const SOME_GROUP: Rule = {
  id: 'EC-04',
  cel: 'self.size() > 0',
  why: 'nodes need a security group',
  fix: 'add a term',
};

export const subnetSelectorTerms = listOf(
  'The subnets in which nodes may be launched.',
  object('Selects subnets. All fields must match.', {
    optional: {
      tags: selectorTags,
      id: text('The subnet with this ID.', idOf('subnet ID', 'subnet')),
    },
    rules: [requireOneOf('EC-02', ['tags', 'id'])],
    former: FORMER_TERM_FIELDS,
  }),
  { maxItems: 30, rules: [SOME_SUBNET, forbidBeside('EC-03', 'id', ['tags'])] },
);

export const securityGroupSelectorTerms = listOf(
  'The security groups of the nodes: all that match.',
  object('Selects security groups. All fields must match.', {
    optional: {
      tags: selectorTags,
      id: text('The security group with this ID.', idOf('security group ID', 'sg')),
      name: text('The security group with this name, which is not its Name tag.'),
    },
    rules: [requireOneOf('EC-04', ['tags', 'id', 'name'])],
    former: FORMER_TERM_FIELDS,
  }),
  {
    maxItems: 30,
    rules: [SOME_GROUP, forbidBeside('EC-05', 'id', ['tags', 'name']), forbidBeside('EC-05', 'name', ['tags', 'id'])],
  },
);

export const reservationId = (description: string) => text(description, idOf('capacity reservation ID', 'cr'));

export const accountId = (description: string) =>
  text(description, {
    pattern: '^[0-9]{12}$',
    wording: { noun: 'AWS account', grammar: 'twelve digits', example: '"123456789012"' },
  });

export const matchCriteria = oneOf(
  'open: every matching instance uses the reservation. targeted: only instances that name it.',
  ['open', 'targeted'],
);

export const capacityReservationSelectorTerms = listOf(
  'The capacity reservations that nodes may use, in pools that allow the capacity type reserved.',
  object('Selects capacity reservations. All fields must match.', {
    optional: {
      tags: selectorTags,
      id: reservationId('The capacity reservation with this ID.'),
      ownerID: accountId('The account that owns it; only narrows what the other fields find.'),
      instanceMatchCriteria: matchCriteria,
    },
    rules: [requireOneOf('EC-06', ['tags', 'id', 'instanceMatchCriteria'])],
  }),
  {
    maxItems: 30,
    rules: [forbidBeside('EC-07', 'id', ['tags', 'ownerID', 'instanceMatchCriteria'])],
  },
);

export const placementGroupSelector = object('The placement group of the nodes.', {
  optional: {
    name: text('The placement group with this name.', { minLength: 1 }),
    id: text('The placement group with this ID.', idOf('placement group ID', 'pg')),
  },
  rules: [
    {
      id: 'EC-09',
      cel: 'has(self.name) != has(self.id)',
      why: 'a placement group is selected by name or by id, by one of them',
      fix: 'keep one of name, id',
      fixOf: (selector) => addOneOf(selector, 'name', 'id'),
    },
  ],
});
