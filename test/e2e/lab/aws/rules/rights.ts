import { type Check, evaluate, explainDenial } from '../../../../support/iam/evaluate.ts';
import type { Account, AwsRequest as SentRequest } from '../../../../support/iam/requests/request.ts';
import { toChecks } from '../../../../support/iam/requests/to-checks.ts';
import { decodeRequest } from '../../../../support/iam/wire/decode.ts';
import type { Answer } from '../../forward.ts';
import type { AccountFacts } from '../rights/facts.ts';
import type { RightsReport } from '../rights/report.ts';
import type { Sender, Senders } from '../rights/senders.ts';
import { type AwsRequest, CLOUD_FORMATION, refuse } from './aws-request.ts';
import type { Rule } from './rule.ts';

export interface RightsParts {
  readonly senders: Pick<Senders, 'find' | 'watch' | 'change'>;
  readonly facts: AccountFacts;
  readonly report: RightsReport;
}

/**
 * IAM: each request needs the rights that the policies of its sender's role give. A missing object of
 * S3 is hidden from senders that may not list its bucket.
 *
 * CloudFormation acts with a role of the CDK's bootstrap that may do everything.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html, "Permissions"
 */
export const rights = ({ senders, facts, report }: RightsParts): Rule => {
  async function findRefusal(
    request: AwsRequest,
    sender: Sender,
    sent: () => SentRequest,
  ): Promise<Answer | undefined> {
    report.count(sender.name, request.service);
    let denied: { readonly action: string; readonly reason: string; readonly resource: string };
    try {
      const account = await facts.read(sent());
      const check = findDenied(sent(), sender, account);
      if (!check) return undefined;
      denied = { ...check, reason: explainDenial(sender.statements, check) };
    } catch (error) {
      // A request whose rights are not known must not pass.
      const action = `${request.service}:${request.action}`;
      denied = { action, resource: '*', reason: String(error) };
    }
    const { action, resource, reason } = denied;
    report.deny(sender.name, `${action} on ${resource}`, reason);
    return refuseRight(request, sender, action, resource);
  }

  async function hideMissing(request: AwsRequest, sender: Sender, answer: Answer): Promise<Answer> {
    const isRead = request.action === 'GetObject' || request.action === 'HeadObject';
    if (request.service !== 's3' || !isRead || answer.status !== 404) return answer;
    const { Bucket = '' } = request.parameters;
    const list: SentRequest = { service: 's3', operation: 'ListObjectsV2', input: { Bucket } };
    const mayList = !findDenied(list, sender, await facts.read(list));
    return mayList ? answer : refuse(request, 403, 'AccessDenied', 'Access Denied');
  }

  return {
    name: 'rights',
    async answer(request, pass) {
      if (request.caller === CLOUD_FORMATION) {
        if (request.service === 'iam') senders.change();
        return pass(request);
      }
      const sender = await senders.find(request);
      const sent = (): SentRequest => decode(request);
      const refusal = sender && (await findRefusal(request, sender, sent));
      if (refusal) return refusal;
      const answer = await pass(request);
      senders.watch(request, answer);
      if (request.action === 'CreateLaunchTemplate') facts.watch(sent(), answer);
      return sender ? hideMissing(request, sender, answer) : answer;
    },
  };
};

/** Returns the first question of IAM that is answered with no. */
const findDenied = (sent: SentRequest, sender: Sender, account: Account): Check | undefined =>
  toChecks(sent, account)
    .map((check) => ({ ...check, context: { ...check.context, ...sender.context } }))
    .find((check) => !evaluate(sender.statements, check).isAllowed);

/** @throws Error - the operation cannot be read */
function decode({ method, path, headers, body, service }: AwsRequest): SentRequest {
  const one = (name: string): string | undefined => headers[name]?.toString();
  const names = ['authorization', 'content-type', 'x-amz-target'];
  const sent = decodeRequest({
    ...{ method, url: path },
    headers: Object.fromEntries(names.map((name) => [name, one(name)])),
    // The content of an object needs no right.
    body: service === 's3' ? '' : body.toString(),
  });
  if (!sent) throw new Error(`${method} ${path} has no signature`);
  return sent;
}

/** Services whose code has no `Exception` at its end. */
const SHORT_CODES: ReadonlySet<string> = new Set(['iam', 'sts', 'cloudformation', 's3', 'sqs']);

function refuseRight(request: AwsRequest, { arn }: Sender, action: string, resource: string): Answer {
  const message =
    `User: ${arn} is not authorized to perform: ${action} on resource: ${resource} ` +
    `because no identity-based policy allows the ${action} action`;
  const { service } = request;
  if (service === 'ec2') {
    const text = `You are not authorized to perform this operation. ${message}.`;
    return refuse(request, 403, 'UnauthorizedOperation', text);
  }
  const code = SHORT_CODES.has(service) ? 'AccessDenied' : 'AccessDeniedException';
  return refuse(request, service === 'dynamodb' || service === 'ssm' ? 400 : 403, code, message);
}
