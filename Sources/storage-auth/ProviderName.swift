internal import ArgumentParser
internal import StorageAuth

/// A cloud on the command line.
enum ProviderName: String, ExpressibleByArgument, CaseIterable {
  case oss
  case cos

  /// The cloud that a host belongs to, if the host tells.
  init?(host: String) {
    if host.hasSuffix(".aliyuncs.com") {
      self = .oss
    } else if host.hasSuffix(".myqcloud.com") || host.hasSuffix(".tencentcos.cn") {
      self = .cos
    } else {
      return nil
    }
  }

  /// The region in a public host of the cloud, such as `photos.oss-cn-hangzhou-internal.aliyuncs.com`.
  func region(ofHost host: String) -> String? {
    let labels = host.split(separator: ".")
    switch self {
    case .oss:
      guard let label = labels.dropLast(2).last, label.hasPrefix("oss-") else { return nil }
      var region = label.dropFirst(4)
      if region.hasSuffix("-internal") { region = region.dropLast(9) }
      return region.hasPrefix("accelerate") ? nil : String(region)
    case .cos:
      return labels.count >= 4 ? String(labels[labels.count - 3]) : nil
    }
  }
}
