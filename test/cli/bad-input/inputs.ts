import type { Call } from '../call.ts';

/** A call of the command with an input that is wrong. */
export interface BadInput extends Call {
  /** The wrong part, as a noun phrase. */
  readonly name: string;
  readonly argv: readonly string[];
}

export interface BadInputCase extends BadInput {
  readonly code: number;
  /** Lines of stdout or stderr, without their indentation. */
  readonly says: readonly string[];
}

export const nodeClass = (spec = '  role: nodes\n'): string => `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
${spec}  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {tier: private}}]
  securityGroupSelectorTerms: [{id: sg-1}]
`;

/**
 * @param spec - a field before `template`
 * @param template - a field before `nodeClassRef`
 */
export const nodePool = (spec = '', requirements = '[]', template = ''): string => `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  ${spec}
  template:
    spec:
      ${template}
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: ${requirements}
`;

export const deployment = (cpu = '"1"', template = ''): string => `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      ${template}
      containers: [{name: main, image: a, resources: {requests: {cpu: ${cpu}}}}]
`;

/** An object of a kind that the command does not read. */
export const foreign = (apiVersion: string, kind: string, name: string): string =>
  `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: {}\n`;

export const both = (spec?: string, requirements?: string, template?: string): string =>
  nodeClass() + nodePool(spec, requirements, template);

/** `mortise VERB -f a.yaml` with this file. */
export const onFile = (
  name: string,
  verb: string,
  text: string | Uint8Array,
  ...flags: readonly string[]
): BadInput => ({ name, argv: [verb, '-f', 'a.yaml', ...flags], files: { 'a.yaml': text } });

/** `mortise validate` of a NodePool with this requirement. */
export const onRequirement = (name: string, key: string, values: string, operator = 'In'): BadInput =>
  onFile(name, 'validate', both('', `[{key: ${key}, operator: ${operator}, values: ${values}}]`));

/** `mortise simulate` for a minute of virtual time. */
export const onSimulation = (name: string, text: string): BadInput => onFile(name, 'simulate', text, '--for', '1m');

/** A call without files. */
export const onCall = (name: string, ...argv: readonly string[]): BadInput => ({ name, argv });
