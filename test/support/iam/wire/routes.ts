import type { AwsRequest } from '../requests/request.ts';

/** An operation of a REST service: `{name}` is a part of the path, `{name+}` the rest of it. */
type Route = readonly [method: string, path: string, operation: string, query?: string];

/** @see the pages of the operations in the services' API references */
const ROUTES: Readonly<Record<string, readonly Route[]>> = {
  'arc-zonal-shift': [['GET', '/managedresources/{resourceIdentifier}', 'GetManagedResource']],
  eks: [
    ['GET', '/clusters/{name}', 'DescribeCluster'],
    ['GET', '/clusters/{clusterName}/access-entries', 'ListAccessEntries'],
    ['POST', '/clusters/{clusterName}/access-entries', 'CreateAccessEntry'],
    ['GET', '/clusters/{clusterName}/access-entries/{principalArn}', 'DescribeAccessEntry'],
    ['DELETE', '/clusters/{clusterName}/access-entries/{principalArn}', 'DeleteAccessEntry'],
    ['GET', '/clusters/{clusterName}/access-entries/{principalArn}/access-policies', 'ListAssociatedAccessPolicies'],
    [
      'DELETE',
      '/clusters/{clusterName}/access-entries/{principalArn}/access-policies/{policyArn}',
      'DisassociateAccessPolicy',
    ],
  ],
  lambda: [
    ['POST', '/2015-03-31/functions/{FunctionName}/invocations', 'Invoke'],
    ['GET', '/2015-03-31/functions/{FunctionName}/configuration', 'GetFunctionConfiguration'],
    ['PUT', '/2015-03-31/functions/{FunctionName}/configuration', 'UpdateFunctionConfiguration'],
    ['GET', '/2016-08-19/account-settings', 'GetAccountSettings'],
  ],
  s3: [
    ['GET', '/{Bucket}', 'ListObjectsV2', 'list-type'],
    ['GET', '/{Bucket}', 'GetBucketLocation', 'location'],
    ['GET', '/{Bucket}', 'GetBucketEncryption', 'encryption'],
    ['GET', '/{Bucket}/{Key+}', 'GetObject'],
    ['HEAD', '/{Bucket}/{Key+}', 'HeadObject'],
    ['PUT', '/{Bucket}/{Key+}', 'PutObject'],
  ],
};

/**
 * Reads the operation of a REST request, and as its input the parts of the path and the fields of the
 * body.
 *
 * @throws Error - no route fits
 */
export function findRoute(
  service: string,
  method: string,
  path: string,
  query: URLSearchParams,
  body: string,
): Omit<AwsRequest, 'service'> {
  for (const [routeMethod, template, operation, needed] of ROUTES[service] ?? []) {
    const parts = method === routeMethod ? matchPath(template, path) : null;
    if (!parts || (needed !== undefined && !query.has(needed))) continue;
    return { operation, input: { ...readFields(service, query, body), ...parts } };
  }
  throw new Error(`no operation of ${service} is known for ${method} ${path}`);
}

function matchPath(template: string, path: string): Readonly<Record<string, string>> | null {
  const pattern = template.replace(/\{(\w+)(\+?)\}/g, (_, name: string, rest: string) =>
    rest === '' ? `(?<${name}>[^/]+)` : `(?<${name}>.+)`,
  );
  const match = new RegExp(`^${pattern}/?$`).exec(path);
  return (
    match &&
    Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]))
  );
}

/** The body of an object is no document; its prefix is in the query. */
function readFields(service: string, query: URLSearchParams, body: string): object {
  if (service === 's3') {
    const prefix = query.get('prefix');
    return prefix === null ? {} : { Prefix: prefix };
  }
  const document: unknown = body === '' ? {} : JSON.parse(body);
  return typeof document === 'object' && document !== null ? document : {};
}
