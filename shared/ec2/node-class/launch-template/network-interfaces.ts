import type { WrittenEC2NodeClass } from '../../../api/stored-objects/ec2-node-class.ts';

type Spec = WrittenEC2NodeClass['spec'];

/** A network interface of a new instance. */
export interface NetworkInterface {
  readonly networkCard: number;
  readonly device: number;
  readonly type: 'interface' | 'efa' | 'efa-only';
  readonly publicAddress?: boolean;
  readonly ipv4Prefixes?: number;
  readonly ipv6?: { readonly prefixes?: number };
  /** Idle timeouts of tracked connections, in seconds. */
  readonly connectionTracking?: {
    readonly tcpEstablished?: number;
    readonly udpStream?: number;
    readonly udp?: number;
  };
}

/**
 * Lists the interfaces of the class; without any, one interface, or one EFA interface per network
 * card if pods request EFA.
 *
 * @param efaCount - EFA interfaces of the instance type; 0 if none are requested
 */
export function listNetworkInterfaces(
  spec: Spec,
  { efaCount, isIpv6 }: { readonly efaCount: number; readonly isIpv6: boolean },
): readonly NetworkInterface[] {
  const settings = toSharedSettings(spec, isIpv6);
  return listPositions(spec, efaCount).map((position) =>
    // EFA-only interfaces carry no IP traffic.
    position.type === 'efa-only' ? position : { ...position, ...settings },
  );
}

type InterfacePosition = Pick<NetworkInterface, 'networkCard' | 'device' | 'type'>;

function listPositions({ networkInterfaces = [] }: Spec, efaCount: number): readonly InterfacePosition[] {
  if (networkInterfaces.length > 0) {
    return networkInterfaces.map(({ networkCardIndex, deviceIndex, interfaceType }) => ({
      networkCard: networkCardIndex,
      device: deviceIndex,
      type: interfaceType,
    }));
  }
  if (efaCount === 0) return [{ networkCard: 0, device: 0, type: 'interface' }];
  return Array.from({ length: efaCount }, (_, card) => ({
    networkCard: card,
    device: card === 0 ? 0 : 1,
    type: 'efa',
  }));
}

function toSharedSettings(
  { associatePublicIPAddress, ipPrefixCount, connectionTracking }: Spec,
  isIpv6: boolean,
): Omit<NetworkInterface, keyof InterfacePosition> {
  const prefixes = ipPrefixCount === undefined ? {} : { prefixes: ipPrefixCount };
  const { tcpEstablishedTimeout, udpStreamTimeout, udpTimeout } = connectionTracking ?? {};
  return {
    ...(associatePublicIPAddress !== undefined && { publicAddress: associatePublicIPAddress }),
    ...(!isIpv6 && ipPrefixCount !== undefined && { ipv4Prefixes: ipPrefixCount }),
    ...(isIpv6 && { ipv6: prefixes }),
    ...(connectionTracking && {
      connectionTracking: {
        ...(tcpEstablishedTimeout !== undefined && { tcpEstablished: tcpEstablishedTimeout }),
        ...(udpStreamTimeout !== undefined && { udpStream: udpStreamTimeout }),
        ...(udpTimeout !== undefined && { udp: udpTimeout }),
      },
    }),
  };
}

/**
 * Tells if the cluster uses IPv6, by the address of its DNS service; without an address it is IPv4.
 */
export const isIpv6 = (dnsIp = ''): boolean => dnsIp.includes(':');
