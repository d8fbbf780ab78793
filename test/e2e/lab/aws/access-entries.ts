import { readTemplate, type TemplateResource } from './template.ts';

/** The user and groups of a caller, which RBAC evaluates. */
export interface Caller {
  readonly name: string;
  readonly groups: readonly string[];
}

/**
 * Maps session tokens to callers. The token of a function is its name (see `lambda-node`), and the
 * access entry of its role gives the groups. The local CloudFormation does not support access
 * entries, so they are read from the template and apply at once, where EKS takes seconds.
 *
 * @param assembly - folder of the synthesised stack
 */
export function callersFromTemplate(
  assembly: string,
  stack: string,
): (sessionToken: string | undefined) => Caller | undefined {
  return (sessionToken) => {
    // A call without a session token comes from the command line of the cluster's creator, an
    // administrator.
    if (sessionToken === undefined) return { name: 'person', groups: ['system:masters'] };

    const resources = readTemplate(assembly, stack);
    const fn = resources.find(
      ({ type, logicalId }) =>
        type === 'AWS::Lambda::Function' &&
        sessionToken.startsWith(`${stack}-${logicalId}`.slice(0, 50)),
    );
    const role = fn && attributeOwner(fn.properties.Role);
    const entries = resources.filter(
      ({ type, properties }) =>
        type === 'AWS::EKS::AccessEntry' &&
        role !== undefined &&
        attributeOwner(properties.PrincipalArn) === role,
    );
    if (entries.length === 0) return undefined;
    return { name: sessionToken, groups: entries.flatMap(groupsOf) };
  };
}

/** Returns the logical id of `{"Fn::GetAtt": ["<logical id>", "Arn"]}`. */
const attributeOwner = (value: unknown): string | undefined =>
  /"Fn::GetAtt":\["(\w+)"/.exec(JSON.stringify(value ?? ''))?.[1];

function groupsOf({ properties }: TemplateResource): readonly string[] {
  const { KubernetesGroups: groups, AccessPolicies: policies } = properties;
  const isAdmin = JSON.stringify(policies ?? '').includes('AmazonEKSClusterAdminPolicy');
  return [
    ...(Array.isArray(groups) ? groups.map(String) : []),
    ...(isAdmin ? ['system:masters'] : []),
  ];
}
