import * as z from 'zod';
import { type Account, ask, operation, type ServiceRequests, toArn } from './request.ts';

const clusterSchema = z.object({ name: z.string() });
const entrySchema = z.object({ clusterName: z.string(), principalArn: z.string() });

const toClusterArn = (account: Account, name: string): string => toArn(account, 'eks', `cluster/${name}`);

/** `access-entry/<cluster>/<type of principal>/<account>/<name>/<id>` */
function toEntryArn(account: Account, { clusterName, principalArn }: z.output<typeof entrySchema>): string {
  const [, , , , owner = '', principal = ''] = principalArn.split(':');
  const [kind = '', ...path] = principal.split('/');
  return toArn(account, 'eks', `access-entry/${clusterName}/${kind}/${owner}/${path.at(-1)}/0`);
}

const onEntry = (action: string) =>
  operation(entrySchema, (entry, account) => [
    ask(account, `eks:${action}`, toEntryArn(account, entry), {
      'eks:principalArn': entry.principalArn,
    }),
  ]);

/** Services that get the role of a new access entry for nodes. */
const NODE_ENTRIES: ReadonlySet<string> = new Set(['EC2_LINUX', 'EC2_WINDOWS', 'EC2', 'HYBRID_LINUX']);

/** @see docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelastickubernetesservice.html */
export const EKS: ServiceRequests = {
  prefix: 'eks',
  operations: {
    DescribeCluster: operation(clusterSchema, ({ name }, account) => [
      ask(account, 'eks:DescribeCluster', toClusterArn(account, name)),
    ]),
    // For an entry that does not exist EKS has no ARN; that it then asks for the cluster is assumed.
    DescribeAccessEntry: operation(entrySchema, (entry, account) => [
      ask(account, 'eks:DescribeAccessEntry', toEntryArn(account, entry)),
      ask(account, 'eks:DescribeAccessEntry', toClusterArn(account, entry.clusterName)),
    ]),
    ListAccessEntries: operation(z.object({ clusterName: z.string() }), ({ clusterName }, account) => [
      ask(account, 'eks:ListAccessEntries', toClusterArn(account, clusterName)),
    ]),
    ListAssociatedAccessPolicies: onEntry('ListAssociatedAccessPolicies'),
    DisassociateAccessPolicy: onEntry('DisassociateAccessPolicy'),
    DeleteAccessEntry: onEntry('DeleteAccessEntry'),
    /**
     * An entry of type EC2_LINUX or EC2_WINDOWS needs `iam:PassRole`. The page does not name the
     * service that gets the role: EKS, which is asked, is assumed.
     *
     * @see docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
     */
    CreateAccessEntry: operation(
      entrySchema.extend({ type: z.string().default('STANDARD') }),
      ({ clusterName, principalArn, type }, account) => [
        ask(account, 'eks:CreateAccessEntry', toClusterArn(account, clusterName), {
          'eks:principalArn': principalArn,
          'eks:accessEntryType': type,
        }),
        ...(NODE_ENTRIES.has(type)
          ? [
              ask(account, 'iam:PassRole', principalArn, {
                'iam:PassedToService': 'eks.amazonaws.com',
              }),
            ]
          : []),
      ],
    ),
  },
};
