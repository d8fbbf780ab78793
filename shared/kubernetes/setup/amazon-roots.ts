import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';

/**
 * SHA-256 fingerprints of the public roots behind the certificates of Lambda and API Gateway.
 *
 * @see https://www.amazontrust.com/repository/
 */
const FINGERPRINTS: ReadonlySet<string> = new Set([
  // Amazon Root CA 1 to 4
  '8E:CD:E6:88:4F:3D:87:B1:12:5B:A3:1A:C3:FC:B1:3D:70:16:DE:7F:57:CC:90:4F:E1:CB:97:C6:AE:98:19:6E',
  '1B:A5:B2:AA:8C:65:40:1A:82:96:01:18:F8:0B:EC:4F:62:30:4D:83:CE:C4:71:3A:19:C3:9C:01:1E:A4:6D:B4',
  '18:CE:6C:FE:7B:F1:4E:60:B2:E3:47:B8:DF:E8:68:CB:31:D0:2E:BB:3A:DA:27:15:69:F5:03:43:B4:6D:B3:A4',
  'E3:5D:28:41:9E:D0:20:25:CF:A6:90:38:CD:62:39:62:45:8D:A5:C6:95:FB:DE:A3:C2:2B:0B:FB:25:89:70:92',
  // Starfield Services Root CA G2
  '56:8D:69:05:A2:C8:87:08:A4:B3:02:51:90:ED:CF:ED:B1:97:4A:60:6A:13:C6:E5:29:0F:CB:2A:E6:3E:DA:B5',
]);

/**
 * Amazon's root certificates from Node's bundle, PEM. The webhook configuration names them;
 * otherwise the API server uses the trust store of its machine, which EKS does not document.
 */
export const amazonRoots = (): string =>
  rootCertificates
    .filter((pem) => FINGERPRINTS.has(new X509Certificate(pem).fingerprint256))
    .map((pem) => `${pem.trim()}\n`)
    .join('');
