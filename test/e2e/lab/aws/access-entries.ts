import { readTemplate, type TemplateResource } from './template.ts';

/** What a caller may do in the cluster, by its groups. */
export interface Caller {
  readonly name: string;
  readonly groups: readonly string[];
}

/**
 * Who signs a request with this session token. Each function's is its name (see `lambda-node`), and
 * its role's access entry says the rest. The local CloudFormation does not know those: they are read
 * in the template, and hold at once where EKS would take seconds.
 *
 * @param assembly - where the stack was synthesised
 */
export function callersFromTemplate(
  assembly: string,
  stack: string,
): (sessionToken: string | undefined) => Caller | undefined {
  return (sessionToken) => {
    // Whoever created the cluster is its administrator: the person at the command line.
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

/** The logical id in `{"Fn::GetAtt": ["<logical id>", "Arn"]}`. */
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
