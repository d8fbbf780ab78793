import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** Creates a self-signed certificate for 127.0.0.1 and localhost, so that no key is stored in the repository. */
export function aCertificate(): Identity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(COMMON_NAME, text(`test ${randomBytes(4).toString('hex')}`))));
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    sequence(ECDSA_WITH_SHA256),
    name,
    sequence(time('200101000000Z'), time('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(sequence(SUBJECT_ALT_NAME, octets(sequence(LOOPBACK, LOCALHOST))))),
  );
  const signature = bits(sign('sha256', body, privateKey));
  const der = sequence(body, sequence(ECDSA_WITH_SHA256), signature);
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/**
 * @see ITU-T X.690, distinguished encoding rules; lengths below 65,536
 */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  const size = length < 128 ? [length] : long;
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts);
const set = (...parts: readonly Buffer[]): Buffer => tagged(0x31, ...parts);
const integer = (value: Buffer): Buffer => tagged(0x02, value);
const octets = (value: Buffer): Buffer => tagged(0x04, value);
const bits = (value: Buffer): Buffer => tagged(0x03, Buffer.from([0]), value);
const text = (value: string): Buffer => tagged(0x0c, Buffer.from(value));
const time = (value: string): Buffer => tagged(0x17, Buffer.from(value));
const identifier = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'));

const ECDSA_WITH_SHA256 = identifier('2a8648ce3d040302');
const COMMON_NAME = identifier('550403');
const SUBJECT_ALT_NAME = identifier('551d11');
/** Alternative names: an IP address and a DNS name. */
const LOOPBACK = tagged(0x87, Buffer.from([127, 0, 0, 1]));
const LOCALHOST = tagged(0x82, Buffer.from('localhost'));
