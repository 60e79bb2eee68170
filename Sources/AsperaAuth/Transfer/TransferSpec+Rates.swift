internal import StorageJSON

/// How fast, and what happens when it is interrupted.
extension TransferSpec {
  /// The rate to reach, in kilobits a second (`target_rate_kbps`).
  public var targetRate: Int? {
    get { number("target_rate_kbps") }
    set { setNumber("target_rate_kbps", newValue) }
  }

  /// The rate to keep, in kilobits a second (`min_rate_kbps`).
  public var minimumRate: Int? {
    get { number("min_rate_kbps") }
    set { setNumber("min_rate_kbps", newValue) }
  }

  /// How the transfer shares the line with others (`rate_policy`).
  public var ratePolicy: RatePolicy? {
    get { word("rate_policy") }
    set { setText("rate_policy", newValue?.rawValue) }
  }

  /// What is compared before an interrupted file is resumed (`resume_policy`).
  public var resumePolicy: ResumePolicy? {
    get { word("resume_policy") }
    set { setText("resume_policy", newValue?.rawValue) }
  }

  /// What happens if the data does not get through over UDP (`http_fallback`).
  public var httpFallback: HTTPFallback? {
    get {
      switch fields["http_fallback"] {
      case .truth(let isOn): isOn ? .on : .off
      case .text("force"): .force
      default: nil
      }
    }
    set { fields["http_fallback"] = newValue.map { $0 == .force ? .text("force") : .truth($0 == .on) } }
  }
}
