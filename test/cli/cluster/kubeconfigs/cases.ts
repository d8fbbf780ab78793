import { aCertificate } from '../../../kubernetes/support/certificate.ts';
import { base64 } from '../kubeconfig-server.ts';

/** The server of a test, and the addresses that its kubeconfigs contain. */
export interface Fixture {
  readonly url: string;
  /** The folder of the kubeconfig. It contains `FILES`, and `bin` is on the PATH of plugins. */
  readonly folder: string;
  readonly certificate: string;
  readonly key: string;
  readonly httpProxy: string;
  readonly socksProxy: string;
}

/** The request that reaches the server. */
export interface Received {
  /** Empty for a request without a token; `SERVER` for the server's host and port. */
  readonly token: string;
  readonly hasCertificate: boolean;
  /** The impersonated user, or empty. */
  readonly as: string;
  readonly path: string;
  readonly proxy: 'http' | 'socks' | 'none';
}

const ANONYMOUS: Received = {
  ...{ token: '', hasCertificate: false, as: '', path: '/api/v1/nodes', proxy: 'none' },
};

export const receivedOf = (expected: Partial<Received>): Received => ({
  ...ANONYMOUS,
  ...expected,
});

export interface KubeconfigCase {
  readonly name: string;
  config(fixture: Fixture): string | object;
  readonly context?: string;
  readonly allowInsecure?: true;
  /** The differences from an anonymous request, or the error. */
  readonly expected: Partial<Received> | RegExp;
  /** A difference of kubectl, and why we do not follow. */
  readonly kubectl?: { readonly does: 'accept' | 'refuse'; readonly reason: string };
}

const other = aCertificate();

/** Files beside the kubeconfig. */
export const filesOf = ({ certificate, key }: Fixture): Readonly<Record<string, string>> => ({
  'ca.crt': certificate,
  'other.crt': other.certificate,
  'bundle.crt': `# two authorities\n${other.certificate}${certificate}`,
  'me.crt': certificate,
  'me.key': key,
  token: 'from-file\n',
});

const credential = (status: object, version = 'v1beta1'): string =>
  JSON.stringify({
    apiVersion: `client.authentication.k8s.io/${version}`,
    kind: 'ExecCredential',
    status,
  });

/** Programs in `bin`; `aws` answers as that of AWS does. */
export const programsOf = ({ certificate, key }: Fixture): Readonly<Record<string, string>> => ({
  aws: `[ "$*" = "--region eu-west-1 eks get-token --cluster-name shop --output json" ] || exit 2
echo '${credential({ expirationTimestamp: '2036-01-01T00:00:00Z', token: 'k8s-aws-v1.abc' })}' | sed "s/abc/$AWS_PROFILE/"`,
  v1: `echo '${credential({ token: 'plugin-v1' }, 'v1')}'`,
  certificates: `cat <<'END'\n${credential({ clientCertificateData: certificate, clientKeyData: key })}\nEND`,
  info: `server=$(echo "$KUBERNETES_EXEC_INFO" | sed 's/.*"server":"https:..\\([^"]*\\)".*/\\1/')
echo '${credential({ token: 'SERVER' })}' | sed "s/SERVER/$server/"`,
  fails: 'echo "the SSO session has expired" >&2; exit 1',
  garbage: 'echo hello',
  nothing: `echo '${credential({})}'`,
});

const authorityOf = ({ certificate }: Fixture) => ({
  'certificate-authority-data': base64(certificate),
});

interface Parts {
  readonly cluster?: object;
  readonly user?: object | null;
  readonly rest?: object;
}

/** A kubeconfig with one context. */
const one = (
  fixture: Fixture,
  { cluster = authorityOf(fixture), user = { token: 'secret' }, rest = {} }: Parts = {},
): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  preferences: {},
  'current-context': 'shop',
  contexts: [{ name: 'shop', context: { cluster: 'c', user: 'u' } }],
  clusters: [{ name: 'c', cluster: { server: fixture.url, ...cluster } }],
  users: [{ name: 'u', user }],
  ...rest,
});

const withUser = (user: object | ((fixture: Fixture) => object)) => (fixture: Fixture) =>
  one(fixture, { user: user instanceof Function ? user(fixture) : user });
const withCluster = (cluster: (fixture: Fixture) => object) => (fixture: Fixture) =>
  one(fixture, { cluster: cluster(fixture) });
const withPlugin = (exec: object, user: object = {}) =>
  withUser({ exec: { apiVersion: 'client.authentication.k8s.io/v1beta1', ...exec }, ...user });

const EKS_EXEC = {
  command: 'aws',
  args: ['--region', 'eu-west-1', 'eks', 'get-token', '--cluster-name', 'shop', '--output', 'json'],
  env: [{ name: 'AWS_PROFILE', value: 'ops' }],
};

const several = (fixture: Fixture): object => ({
  ...one(fixture),
  contexts: [
    { name: 'shop', context: { cluster: 'c', user: 'u' } },
    { name: 'lab', context: { cluster: 'c', user: 'v', namespace: 'default' } },
  ],
  users: [
    { name: 'u', user: { token: 'secret' } },
    { name: 'v', user: { token: 'of-lab' } },
  ],
});

/** The YAML that `aws eks update-kubeconfig` writes. */
const eksYaml = ({ url, certificate }: Fixture): string => `apiVersion: v1
clusters:
- cluster:
    server: ${url}
    certificate-authority-data: ${base64(certificate)}
  name: arn:aws:eks:eu-west-1:111122223333:cluster/shop
contexts:
- context:
    cluster: arn:aws:eks:eu-west-1:111122223333:cluster/shop
    user: arn:aws:eks:eu-west-1:111122223333:cluster/shop
  name: arn:aws:eks:eu-west-1:111122223333:cluster/shop
current-context: arn:aws:eks:eu-west-1:111122223333:cluster/shop
kind: Config
preferences: {}
users:
- name: arn:aws:eks:eu-west-1:111122223333:cluster/shop
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      args:
${EKS_EXEC.args.map((arg) => `      - ${arg}`).join('\n')}
      command: aws
      env:
      - name: AWS_PROFILE
        value: ops
      interactiveMode: IfAvailable
      provideClusterInfo: false
`;

const EKS_TOKEN = { token: 'k8s-aws-v1.ops' };
const SECRET = { token: 'secret' };

/** Kubeconfigs of many kinds. */
export const KUBECONFIGS: readonly KubeconfigCase[] = [
  // Users.
  { name: 'a token', config: withUser({ token: 'secret' }), expected: SECRET },
  {
    name: 'a token file by a relative path',
    config: withUser({ tokenFile: 'token' }),
    expected: { token: 'from-file' },
  },
  {
    name: 'a token file by an absolute path',
    config: withUser(({ folder }) => ({ tokenFile: `${folder}/token` })),
    expected: { token: 'from-file' },
  },
  {
    name: 'a token and a token file',
    config: withUser({ token: 'secret', tokenFile: 'token' }),
    expected: { token: 'from-file' },
  },
  {
    name: 'a missing token file',
    config: withUser({ tokenFile: 'nix' }),
    expected: /tokenFile names nix, which cannot be read/,
  },
  {
    name: 'a client certificate as data',
    config: withUser(({ certificate, key }) => ({
      'client-certificate-data': base64(certificate),
      'client-key-data': base64(key),
    })),
    expected: { hasCertificate: true },
  },
  {
    name: 'a client certificate by relative paths',
    config: withUser({ 'client-certificate': './me.crt', 'client-key': 'me.key' }),
    expected: { hasCertificate: true },
  },
  {
    name: 'a client certificate by absolute paths, with a token',
    config: withUser(({ folder }) => ({
      'client-certificate': `${folder}/me.crt`,
      'client-key': `${folder}/me.key`,
      token: 'secret',
    })),
    expected: { hasCertificate: true, token: 'secret' },
  },
  {
    name: 'a client certificate as data and as a file',
    config: withUser(({ certificate }) => ({
      'client-certificate-data': base64(certificate),
      'client-certificate': 'me.crt',
      'client-key': 'me.key',
    })),
    expected: /client-certificate is a file, and the same field with -data is set too/,
  },
  {
    name: 'a client certificate without its key',
    config: withUser({ 'client-certificate': 'me.crt' }),
    expected: /client-key is missing/,
  },
  {
    name: 'a client key without its certificate',
    config: withUser({ 'client-key': 'me.key' }),
    expected: /client-certificate is missing/,
  },
  {
    name: 'a missing client certificate',
    config: withUser({ 'client-certificate': 'nix.crt', 'client-key': 'me.key' }),
    expected: /client-certificate names nix\.crt, which cannot be read/,
  },
  {
    name: 'an impersonated user',
    config: withUser({ token: 'secret', as: 'ana' }),
    expected: { token: 'secret', as: 'ana' },
  },
  {
    name: 'impersonated groups',
    config: withUser({ token: 'secret', as: 'ana', 'as-groups': ['ops'] }),
    expected: /as-groups is not supported/,
    kubectl: { does: 'accept', reason: 'the library sends the user only' },
  },
  {
    name: 'a name and a password',
    config: withUser({ username: 'ana', password: 'p' }),
    expected: /username is not supported any more/,
    kubectl: { does: 'accept', reason: 'API servers have not accepted them since Kubernetes 1.19' },
  },
  {
    name: 'an auth provider',
    config: withUser({ 'auth-provider': { name: 'gcp' } }),
    expected: /auth-provider is not supported any more/,
  },
  {
    name: 'a context without a user',
    config: (fixture) => one(fixture, { rest: { contexts: [{ name: 'shop', context: { cluster: 'c' } }] } }),
    expected: {},
    kubectl: { does: 'refuse', reason: 'it asks for a name and a password' },
  },
  // Credential plugins.
  { name: 'the plugin of EKS, as `aws` writes it', config: eksYaml, expected: EKS_TOKEN },
  { name: 'the plugin of EKS, without options', config: withPlugin(EKS_EXEC), expected: EKS_TOKEN },
  {
    name: 'the plugin of EKS beside a token',
    config: withPlugin(EKS_EXEC, { token: 'secret' }),
    expected: SECRET,
  },
  {
    name: 'a plugin by a relative path',
    config: withPlugin({ ...EKS_EXEC, command: 'bin/aws' }),
    expected: EKS_TOKEN,
  },
  {
    name: 'a plugin of version v1',
    config: withPlugin({
      ...{ apiVersion: 'client.authentication.k8s.io/v1', command: 'v1', interactiveMode: 'Never' },
    }),
    expected: { token: 'plugin-v1' },
  },
  {
    name: 'a plugin of version v1 without its interactive mode',
    config: withPlugin({ apiVersion: 'client.authentication.k8s.io/v1', command: 'v1' }),
    expected: /exec\.interactiveMode is missing/,
  },
  {
    name: 'a plugin that must be asked by a person',
    config: withPlugin({ ...EKS_EXEC, interactiveMode: 'Always' }),
    expected: /exec\.interactiveMode is Always/,
  },
  {
    name: 'a plugin of a removed version',
    config: withPlugin({ ...EKS_EXEC, apiVersion: 'client.authentication.k8s.io/v1alpha1' }),
    expected: /exec\.apiVersion must be one of client/,
  },
  {
    name: 'a plugin that prints a certificate',
    config: withPlugin({ command: 'certificates' }),
    expected: { hasCertificate: true },
  },
  {
    name: 'a plugin that wants the cluster',
    config: withPlugin({ command: 'info', provideClusterInfo: true }),
    expected: { token: 'SERVER' },
  },
  {
    name: 'a plugin that fails',
    config: withPlugin({ command: 'fails' }),
    expected: /fails: the SSO session has expired/,
  },
  {
    name: 'a plugin that is not installed',
    config: withPlugin({ command: 'nix', installHint: 'pip install nix' }),
    expected: /nix: no such program/,
  },
  {
    name: 'a plugin that prints something else',
    config: withPlugin({ command: 'garbage' }),
    expected: /no ExecCredential/,
  },
  {
    name: 'a plugin that prints no credentials',
    config: withPlugin({ command: 'nothing' }),
    expected: /neither a token nor a certificate/,
  },
  // Clusters.
  {
    name: 'an authority by a relative path',
    config: withCluster(() => ({ 'certificate-authority': 'ca.crt' })),
    expected: SECRET,
  },
  {
    name: 'an authority as data and as a file',
    config: withCluster((fixture) => ({
      ...authorityOf(fixture),
      'certificate-authority': 'ca.crt',
    })),
    expected: /certificate-authority is a file, and the same field with -data is set too/,
  },
  {
    name: 'a file of two authorities',
    config: withCluster(() => ({ 'certificate-authority': 'bundle.crt' })),
    expected: SECRET,
  },
  {
    name: 'another authority',
    config: withCluster(() => ({ 'certificate-authority': 'other.crt' })),
    expected: /self-signed certificate|unable to verify/,
  },
  {
    name: 'no authority',
    config: withCluster(() => ({})),
    expected: /self-signed certificate|unable to verify/,
  },
  {
    name: 'a missing authority',
    config: withCluster(() => ({ 'certificate-authority': 'nix.crt' })),
    expected: /certificate-authority names nix\.crt, which cannot be read/,
  },
  {
    name: 'an authority that is not base64',
    config: withCluster(() => ({ 'certificate-authority-data': '!' })),
    expected: /certificate-authority-data.* is not base64/,
  },
  {
    name: 'a server name of the certificate',
    config: withCluster((fixture) => ({ ...authorityOf(fixture), 'tls-server-name': 'localhost' })),
    expected: SECRET,
  },
  {
    name: 'another server name',
    config: withCluster((fixture) => ({
      ...authorityOf(fixture),
      'tls-server-name': 'shop.example',
    })),
    expected: /does not match certificate/,
  },
  {
    name: 'no check of the certificate',
    config: withCluster(() => ({ 'insecure-skip-tls-verify': true })),
    expected: /insecure-skip-tls-verify is true/,
    kubectl: { does: 'accept', reason: 'we ask for --insecure' },
  },
  {
    name: 'no check of the certificate, with --insecure',
    config: withCluster(() => ({ 'insecure-skip-tls-verify': true })),
    allowInsecure: true,
    expected: SECRET,
  },
  {
    name: 'a server with a path',
    config: withCluster((fixture) => ({
      ...authorityOf(fixture),
      server: `${fixture.url}/k8s/clusters/c-1`,
    })),
    expected: { token: 'secret', path: '/k8s/clusters/c-1/api/v1/nodes' },
  },
  {
    name: 'a server with a slash at the end',
    config: withCluster((fixture) => ({ ...authorityOf(fixture), server: `${fixture.url}/` })),
    expected: { token: 'secret', path: '/api/v1/nodes' },
  },
  {
    name: 'a server without a protocol',
    config: withCluster((fixture) => ({
      ...authorityOf(fixture),
      server: fixture.url.replace('https://', ''),
    })),
    expected: /server is no URL of the form https:\/\/HOST/,
  },
  {
    name: 'an http proxy',
    config: withCluster((fixture) => ({ ...authorityOf(fixture), 'proxy-url': fixture.httpProxy })),
    expected: { token: 'secret', proxy: 'http' },
  },
  {
    name: 'a SOCKS proxy',
    config: withCluster((fixture) => ({
      ...authorityOf(fixture),
      'proxy-url': fixture.socksProxy,
    })),
    expected: { token: 'secret', proxy: 'socks' },
  },
  {
    name: 'a proxy of another protocol',
    config: withCluster((fixture) => ({
      ...authorityOf(fixture),
      'proxy-url': 'ftp://127.0.0.1:1',
    })),
    expected: /proxy-url is no URL of an http, https or socks5 proxy/,
  },
  // Files.
  {
    name: 'fields that are not known, and extensions',
    config: (fixture) =>
      one(fixture, {
        cluster: { ...authorityOf(fixture), extensions: [{ name: 'x', extension: { a: 1 } }] },
        rest: { extensions: null, later: true },
      }),
    expected: SECRET,
  },
  { name: 'the current one of several contexts', config: several, expected: SECRET },
  {
    name: 'another one of several contexts',
    config: several,
    context: 'lab',
    expected: { token: 'of-lab' },
  },
  {
    name: 'a context that is not in the file',
    config: several,
    context: 'nix',
    expected: /names the context nix/,
  },
  {
    name: 'a context of a missing cluster',
    config: (fixture) => one(fixture, { rest: { clusters: [] } }),
    expected: /names the cluster c, which is not in the file/,
  },
  {
    name: 'a context of a missing user',
    config: (fixture) => one(fixture, { rest: { users: null } }),
    expected: /names the user u, which is not in the file/,
  },
  {
    name: 'two contexts of one name',
    config: (fixture) =>
      one(fixture, {
        rest: {
          contexts: ['u', 'v'].map((user) => ({ name: 'shop', context: { cluster: 'c', user } })),
        },
      }),
    expected: /contexts has two entries of one name/,
  },
  { name: 'nothing', config: () => '', expected: /the file is empty/ },
  { name: 'broken YAML', config: () => 'clusters: [', expected: /:1:\d+: / },
  {
    name: 'a list instead of a map',
    config: (fixture) => one(fixture, { rest: { clusters: { c: {} } } }),
    expected: /clusters must be of the type array/,
  },
];
