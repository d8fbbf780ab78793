import type { Answer, Request } from '../../forward.ts';
import { entriesOf, isRecord, parseJsonLine, textAt, valueAt } from '../../json.ts';

/** The caller of the requests that stand for a step of CloudFormation. */
export const CLOUD_FORMATION = 'cloudformation';

/** A request to a service of AWS, of any protocol. */
export interface AwsRequest extends Request {
  /** The name in the signature, such as `iam`. */
  readonly service: string;
  /** The name in the API reference, such as `CreateRole`; empty if the lab does not know it. */
  readonly action: string;
  /**
   * The session token: the name of a function, {@link CLOUD_FORMATION}, the token of an assumed role, or
   * undefined.
   */
  readonly caller: string | undefined;
  readonly accessKey: string;
  readonly region: string;
  /**
   * The parameters by the names in the API reference. Those of the query protocol have flat names,
   * such as `InstanceId.1`.
   */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Method, pattern of the path, and action. The groups of a pattern are parameters. */
type Route = readonly [method: string, path: RegExp, action: string];

const FUNCTIONS = '^/20\\d\\d-\\d\\d-\\d\\d/functions';
const FUNCTION = `${FUNCTIONS}/(?<FunctionName>[^/]+)`;
const ENTRY = '^/clusters/(?<clusterName>[^/]+)/access-entries';

/** The actions of the REST protocols that rules know. */
const ROUTES: Readonly<Record<string, readonly Route[]>> = {
  lambda: [
    ['POST', new RegExp(`${FUNCTIONS}$`), 'CreateFunction'],
    ['PUT', new RegExp(`${FUNCTION}/configuration$`), 'UpdateFunctionConfiguration'],
    ['PUT', new RegExp(`${FUNCTION}/concurrency$`), 'PutFunctionConcurrency'],
    ['POST', new RegExp(`${FUNCTION}/url$`), 'CreateFunctionUrlConfig'],
    ['POST', new RegExp(`${FUNCTION}/invocations$`), 'Invoke'],
    ['GET', /^\/2016-08-19\/account-settings\/?$/, 'GetAccountSettings'],
  ],
  scheduler: [
    ['POST', /^\/schedule-groups\/(?<Name>[^/]+)$/, 'CreateScheduleGroup'],
    ['POST', /^\/schedules\/(?<Name>[^/]+)$/, 'CreateSchedule'],
  ],
  eks: [
    ['GET', /^\/clusters\/(?<name>[^/]+)$/, 'DescribeCluster'],
    ['POST', new RegExp(`${ENTRY}$`), 'CreateAccessEntry'],
    ['GET', new RegExp(`${ENTRY}/(?<principalArn>[^/]+)$`), 'DescribeAccessEntry'],
    ['DELETE', new RegExp(`${ENTRY}/(?<principalArn>[^/]+)$`), 'DeleteAccessEntry'],
  ],
  s3: [
    ['GET', /^\/(?<Bucket>[^/]+)\/(?<Key>.+)$/, 'GetObject'],
    ['HEAD', /^\/(?<Bucket>[^/]+)\/(?<Key>.+)$/, 'HeadObject'],
    ['PUT', /^\/(?<Bucket>[^/]+)\/(?<Key>.+)$/, 'PutObject'],
    ['DELETE', /^\/(?<Bucket>[^/]+)\/(?<Key>.+)$/, 'DeleteObject'],
  ],
};

const SCOPE = /Credential=(?<accessKey>[^/]+)\/\d{8}\/(?<region>[^/]+)\/(?<service>[^/]+)\/aws4_request/;
const QUERY = /^(?!\{)[\w.]+=/;

/** Reads service, action, caller and parameters of a request. */
export function readAwsRequest(request: Request): AwsRequest {
  const { headers, method, path } = request;
  const scope = SCOPE.exec(String(headers.authorization ?? ''))?.groups;
  const service = scope?.service ?? '';
  const region = scope?.region ?? '';
  const token = headers['x-amz-security-token'];
  const caller = token === undefined ? undefined : String(token);
  const accessKey = scope?.accessKey ?? '';
  const common = { ...request, service, region, caller, accessKey };

  const target = headers['x-amz-target'];
  if (target !== undefined) {
    const action = String(target).split('.').at(-1) ?? '';
    return { ...common, action, parameters: readJson(request) };
  }
  const [file = ''] = path.split('?');
  for (const [expected, pattern, action] of ROUTES[service] ?? []) {
    const match = method === expected ? pattern.exec(file) : null;
    if (!match) continue;
    const groups = Object.entries(match.groups ?? {});
    const named = groups.map(([name, value]): [string, unknown] => [name, decodeURIComponent(value)]);
    const body = service === 's3' ? {} : readJson(request);
    return { ...common, action, parameters: { ...body, ...Object.fromEntries(named) } };
  }
  const text = request.body.length < 1_000_000 ? request.body.toString() : '';
  if (!QUERY.test(text)) return { ...common, action: '', parameters: {} };
  const { Action = '', ...parameters } = Object.fromEntries(new URLSearchParams(text));
  return { ...common, action: Action, parameters };
}

function readJson({ body }: Request): Readonly<Record<string, unknown>> {
  const parsed = parseJsonLine(body.toString());
  return isRecord(parsed) ? parsed : {};
}

/** Parameters that name the resource in the API, by the type of the resource. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['AWS::IAM::Role', 'RoleName'],
  ['AWS::Lambda::Function', 'FunctionName'],
]);

/**
 * Reads a step of CloudFormation, which `serve_ministack.py` sends, as the request of CloudFormation to
 * the service of the resource. Its body has the properties of the resource.
 */
export function readStep(step: unknown, region: string): AwsRequest {
  const type = textAt(step, 'type');
  const physicalId = textAt(step, 'physicalId');
  const [, service = '', resource = ''] = type.split('::');
  const properties = Object.fromEntries(entriesOf(valueAt(step, 'properties')));
  const name = NAMES.get(type);
  return {
    service: service.toLowerCase(),
    action: `${textAt(step, 'action')}${resource}`,
    caller: CLOUD_FORMATION,
    accessKey: '',
    region,
    parameters: {
      ...properties,
      ...(name !== undefined && physicalId !== '' && { [name]: physicalId }),
    },
    method: 'POST',
    path: '/',
    headers: {},
    body: Buffer.from(JSON.stringify(properties)),
  };
}

/** A parameter as text, whatever the case of its first letter; empty if it is missing. */
export function textOf({ parameters }: AwsRequest, name: string): string {
  const value = parameters[name] ?? parameters[name.charAt(0).toLowerCase() + name.slice(1)];
  return typeof value === 'string' ? value : '';
}

/** Builds a request of the query protocol, for questions of rules to the emulator. */
export function queryRequest(service: string, parameters: Record<string, string>): AwsRequest {
  const body = Buffer.from(new URLSearchParams(parameters).toString());
  return readAwsRequest({
    method: 'POST',
    path: '/',
    headers: {
      ...signature(service),
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': `${body.length}`,
    },
    body,
  });
}

/** Builds a GET request of a REST protocol, for questions of rules to the emulator. */
export const getRequest = (service: string, path: string): AwsRequest =>
  readAwsRequest({ method: 'GET', path, headers: signature(service), body: Buffer.alloc(0) });

/** Builds a request of a JSON protocol. */
export function jsonRequest(service: string, target: string, parameters = {}): AwsRequest {
  const body = Buffer.from(JSON.stringify(parameters));
  return readAwsRequest({
    method: 'POST',
    path: '/',
    headers: {
      ...signature(service),
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': target,
      'content-length': `${body.length}`,
    },
    body,
  });
}

/** Emulators find the service by the signature, which they do not verify. */
const signature = (service: string) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/${service}/aws4_request`,
});

/** Returns the parameters of a request of the query protocol. */
export const formOf = ({ parameters }: Pick<AwsRequest, 'parameters'>): URLSearchParams =>
  new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]));

/** Replaces the parameters of a request of the query protocol. */
export function withParameters(request: AwsRequest, parameters: Readonly<Record<string, unknown>>): AwsRequest {
  const form = formOf({ parameters });
  form.set('Action', request.action);
  const body = Buffer.from(form.toString());
  const headers = { ...request.headers, 'content-length': `${body.length}` };
  return { ...request, parameters, headers, body };
}

/** Adds parameters to a request of a JSON protocol, or replaces all of them. */
export function withJson(
  request: AwsRequest,
  more: Readonly<Record<string, unknown>>,
  how: 'add' | 'replace' = 'add',
): AwsRequest {
  const parameters = how === 'add' ? { ...request.parameters, ...more } : more;
  const body = Buffer.from(JSON.stringify(parameters));
  const target = String(request.headers['x-amz-target'] ?? '').replace(/[^.]*$/, request.action);
  const headers = {
    ...request.headers,
    'x-amz-target': target,
    'content-length': `${body.length}`,
  };
  return { ...request, parameters, headers, body };
}

const XML_SERVICES: readonly string[] = ['iam', 'sts', 'cloudformation', 'sns', 'autoscaling'];

/** Builds the answer of a refused request in the protocol of its service. */
export function refuse(
  { service, caller }: Pick<AwsRequest, 'service' | 'caller'>,
  status: number,
  code: string,
  message: string,
): Answer {
  const error = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  if (caller === CLOUD_FORMATION) return respond(status, 'text/plain', `${message} (${code})`);
  if (service === 'ec2') return respond(status, 'text/xml', `<Response><Errors>${error}</Errors></Response>`);
  if (service === 's3') return respond(status, 'application/xml', error);
  if (XML_SERVICES.includes(service)) return respond(status, 'text/xml', `<ErrorResponse>${error}</ErrorResponse>`);
  const body = JSON.stringify({ __type: code, message, Message: message });
  const answer = respond(status, 'application/json', body);
  return { ...answer, headers: { ...answer.headers, 'x-amzn-errortype': code } };
}

const respond = (status: number, type: string, text: string): Answer => ({
  status,
  headers: { 'content-type': type },
  body: Buffer.from(text),
});
