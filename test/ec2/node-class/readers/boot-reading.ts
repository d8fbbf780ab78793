/** The settings of a node in its user data, independent of the format. */
export interface BootReading {
  readonly cluster: string;
  readonly endpoint: string;
  readonly certificateAuthority: string;
  /** The service CIDR; undefined if the format does not contain it. */
  readonly serviceCidr?: string;
  readonly dns: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** Formatted as `dedicated=gpu:NoSchedule` or `karpenter.sh/unregistered:NoExecute`. */
  readonly taints: readonly string[];
  readonly usesRaid0: boolean;
  /** Every other setting, under its name in the kubelet's configuration file. */
  readonly kubelet: Readonly<Record<string, unknown>>;
}
