import type { Answer, Request } from '../forward.ts';
import { readTemplate, type TemplateResource } from './template.ts';

/** The user and groups of a caller, which RBAC evaluates. */
export interface Caller {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Access entries as EKS has them. They apply at once, where EKS takes seconds. */
export interface AccessEntries {
  /**
   * Maps session tokens to callers. The token of a function is its name (see `lambda-node`), and
   * the access entry of its role gives the groups.
   */
  callerOf(sessionToken: string | undefined): Caller | undefined;
  /** Answers the calls about access policies; undefined for every other call of EKS. */
  answer(request: Pick<Request, 'method' | 'path'>): Answer | undefined;
  /** The roles that are administrators of the cluster, by logical id. */
  administrators(): readonly string[];
  /** The stack and its access entries were deleted. */
  forget(): void;
}

const ADMINISTRATOR = 'AmazonEKSClusterAdminPolicy';
const POLICIES = /^\/clusters\/[^/]+\/access-entries\/([^/]+)\/access-policies(?:\/([^/]+))?$/;

/**
 * The local CloudFormation does not support access entries, so they are read from the template.
 *
 * @param assembly - folder of the synthesised stack
 */
export function createAccessEntries(assembly: string, stack: string): AccessEntries {
  /** Roles whose access policy was removed by a call. */
  const ended = new Set<string>();
  const entries = (resources = readTemplate(assembly, stack)) =>
    resources
      .filter(({ type }) => type === 'AWS::EKS::AccessEntry')
      .map((entry) => ({ entry, role: attributeOwner(entry.properties.PrincipalArn) ?? '' }));
  const isAdministrator = ({ entry, role }: { entry: TemplateResource; role: string }): boolean =>
    JSON.stringify(entry.properties.AccessPolicies ?? '').includes(ADMINISTRATOR) &&
    !ended.has(role);

  return {
    callerOf(sessionToken) {
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
      const own = entries(resources).filter((one) => one.role === role);
      if (own.length === 0) return undefined;
      const groups = own.flatMap((one) => [
        ...groupsOf(one.entry),
        ...(isAdministrator(one) ? ['system:masters'] : []),
      ]);
      return { name: sessionToken, groups };
    },
    answer({ method, path }) {
      const [, principal, policy] = POLICIES.exec(path.split('?')[0] ?? '') ?? [];
      if (principal === undefined) return undefined;
      const arn = decodeURIComponent(principal);
      const entry = entries().find(({ role }) => arn.includes(`/${stack}-${role}`));
      if (!entry) return json(404, { __type: 'ResourceNotFoundException' });
      if (method === 'DELETE' && policy !== undefined) {
        ended.add(entry.role);
        return json(200, {});
      }
      const policyArn = `arn:aws:eks::aws:cluster-access-policy/${ADMINISTRATOR}`;
      const associatedAt = Date.now() / 1_000;
      return json(200, {
        associatedAccessPolicies: isAdministrator(entry) ? [{ policyArn, associatedAt }] : [],
      });
    },
    administrators: () =>
      entries()
        .filter(isAdministrator)
        .map(({ role }) => role),
    forget: () => ended.clear(),
  };
}

/** Returns the logical id of `{"Fn::GetAtt": ["<logical id>", "Arn"]}`. */
const attributeOwner = (value: unknown): string | undefined =>
  /"Fn::GetAtt":\["(\w+)"/.exec(JSON.stringify(value ?? ''))?.[1];

const groupsOf = ({ properties: { KubernetesGroups: groups } }: TemplateResource) =>
  Array.isArray(groups) ? groups.map(String) : [];

const json = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});
