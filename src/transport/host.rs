//! The names and addresses of this machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use nix::ifaddrs::getifaddrs;
use nix::unistd::gethostname;

/// The server's name for mDNS, a router or a resolver.
pub(super) const OWN_NAME: &str = "adjudge.local";

/// Names and addresses, the machine's own first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostNames {
    /// The machine's own name.
    pub host: Option<String>,
    /// The addresses at which others reach it. Empty without a network.
    pub addresses: Vec<IpAddr>,
}

impl HostNames {
    /// The names and addresses as they are now; a network that is plugged in later is not known.
    #[must_use]
    pub fn detect() -> Self {
        let found = getifaddrs().into_iter().flatten().filter_map(|interface| {
            let address = interface.address?;
            let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(v4.ip()));
            v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::V6(v6.ip())))
        });
        let mut addresses: Vec<IpAddr> = found.filter(|address| !is_for_itself(*address)).collect();
        addresses.sort();
        addresses.dedup();
        let host = gethostname().ok().and_then(|name| name.into_string().ok());
        Self { host: host.map(|name| name.to_lowercase()), addresses }
    }

    /// Every name that a certificate of this machine must have.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut names = ["localhost", "127.0.0.1", "::1", OWN_NAME].map(str::to_owned).to_vec();
        let host = self.host.iter().filter(|host| is_dns_name(host)).cloned();
        for name in host.chain(self.addresses.iter().map(IpAddr::to_string)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The addresses of a server with that listening address: those for others first, those for this machine last.
    #[must_use]
    pub fn reachable_at(&self, listen: SocketAddr) -> Vec<SocketAddr> {
        if !listen.ip().is_unspecified() {
            return vec![listen];
        }
        let is_of_its_kind = |address: &&IpAddr| address.is_ipv4() || listen.is_ipv6();
        let others = self.addresses.iter().filter(is_of_its_kind).copied();
        let own = IpAddr::V4(Ipv4Addr::LOCALHOST);
        others.chain([own]).map(|ip| SocketAddr::new(ip, listen.port())).collect()
    }
}

/// Loopback, and IPv6 addresses that are valid only on one link: no address line can name them.
fn is_for_itself(address: IpAddr) -> bool {
    address.is_loopback() || matches!(address, IpAddr::V6(v6) if is_link_local(v6))
}

fn is_link_local(address: Ipv6Addr) -> bool {
    address.is_unicast_link_local()
}

fn is_dns_name(name: &str) -> bool {
    rustls::pki_types::DnsName::try_from(name).is_ok() && name.parse::<IpAddr>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_names_list_each_name_and_address_once() {
        let addresses = ["192.168.1.5", "fd00::5"].map(|address| address.parse().unwrap()).to_vec();
        let machine = HostNames { host: Some("localhost".to_owned()), addresses };
        let names = ["localhost", "127.0.0.1", "::1", "adjudge.local", "192.168.1.5", "fd00::5"];
        assert_eq!(machine.names(), names);
        let reached = |listen: &str| {
            machine.reachable_at(listen.parse().unwrap()).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(reached("0.0.0.0:8017"), ["192.168.1.5:8017", "127.0.0.1:8017"]);
        assert_eq!(reached("[::]:8017"), ["192.168.1.5:8017", "[fd00::5]:8017", "127.0.0.1:8017"]);
        assert_eq!(reached("10.0.0.7:1"), ["10.0.0.7:1"]);
    }

    #[test]
    fn a_host_name_that_no_certificate_can_have_is_left_out() {
        for name in ["a b", "", "under_the/stairs"] {
            let machine = HostNames { host: Some(name.to_owned()), addresses: Vec::new() };
            assert_eq!(machine.names().len(), 4, "{name}");
        }
    }
}
