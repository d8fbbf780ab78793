import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { MortiseStack } from '../../infra/mortise-stack.ts';
import { readOptions } from '../../infra/options/read-options.ts';

/** The functions that read a queue of hints. */
export const WORKERS = ['Provisioning', 'NodeLifecycle', 'Disruption', 'Interruption', 'Sweep', 'NodeClass'] as const;

export type Context = Readonly<Record<string, unknown>>;

/** Functions are not bundled here; another test covers the bundles. */
export const NO_BUNDLES = { 'aws:cdk:bundling-stacks': [] };

/** @param flags - feature flags of the CDK */
export function aTemplate(context: Context = {}, flags: Context = {}): Template {
  const given: Context = { cluster: 'demo', ...context };
  const options = readOptions((name) => given[name], {});
  const app = new App({ context: { ...NO_BUNDLES, ...flags } });
  return Template.fromStack(new MortiseStack(app, 'Mortise', options));
}

const resourcesSchema = z.record(z.string(), z.object({ Properties: z.record(z.string(), z.unknown()) }));

/** Returns the properties of a type's resources by logical id without its hash. */
export function propertiesIn(template: Template, type: string) {
  const resources = Object.entries(resourcesSchema.parse(template.findResources(type)));
  return new Map(resources.map(([id, { Properties }]) => [id.slice(0, -8), Properties]));
}

/** A policy statement that denies unencrypted transport. */
export const refusingPlainText = (Action: string) => ({
  PolicyDocument: {
    Statement: Match.arrayWith([
      Match.objectLike({
        Action,
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    ]),
  },
});

export const QUEUES = ['Plan', 'Disrupt', 'Claim', 'Sweep', 'Interruption', 'Class'] as const;

const oneOrMore = z.union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())]);

const statementSchema = z.object({
  Effect: z.string(),
  Action: z.union([z.string(), z.array(z.string())]),
  Resource: oneOrMore,
  Condition: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

const policySchema = z.object({
  Properties: z.object({
    PolicyDocument: z.object({ Statement: z.array(statementSchema) }),
    Roles: z.array(z.object({ Ref: z.string() })),
  }),
});

export interface Statement {
  readonly actions: readonly string[];
  /** As text; values known only at deployment stand as `<LogicalId>`. */
  readonly resources: readonly string[];
  readonly conditions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Lists what a function may do, by the name of its construct, such as `Provisioning`. */
export const rightsOf = (template: Template, name: string): readonly Statement[] =>
  statementsOf(template, name, 'Allow');

/** Lists what a function is denied, whatever its rights. */
export const denialsOf = (template: Template, name: string): readonly Statement[] =>
  statementsOf(template, name, 'Deny');

function statementsOf(template: Template, name: string, effect: 'Allow' | 'Deny'): readonly Statement[] {
  const policies = z.record(z.string(), policySchema).parse({
    ...template.findResources('AWS::IAM::Policy'),
    // Statements that exceed IAM's limit for inline policies.
    ...template.findResources('AWS::IAM::ManagedPolicy'),
  });

  return Object.values(policies)
    .filter(({ Properties }) => Properties.Roles.some(({ Ref }) => Ref.startsWith(`${name}Function`)))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .filter(({ Effect }) => Effect === effect)
    .map(({ Action, Resource, Condition }) => ({
      actions: [Action].flat(),
      resources: (Array.isArray(Resource) ? Resource : [Resource]).map(asText),
      conditions: Condition,
    }));
}

const partSchema = z.union([
  z.string(),
  z.object({ Ref: z.string() }).transform(({ Ref }) => `<${Ref}>`),
  z.object({ 'Fn::GetAtt': z.array(z.string()) }).transform((it) => `<${it['Fn::GetAtt'][0]}>`),
]);
const textSchema = z.union([
  partSchema,
  z.object({ 'Fn::Join': z.tuple([z.literal(''), z.array(partSchema)]) }).transform((it) => it['Fn::Join'][1].join('')),
]);

export const asText = (resource: unknown): string => textSchema.parse(resource);

/** Lists the actions with the prefix that the function may call on any resource. */
export const allowed = (rights: readonly Statement[], prefix: string): readonly string[] =>
  [...new Set(rights.flatMap(({ actions }) => actions))].filter((action) => action.startsWith(prefix)).toSorted();
