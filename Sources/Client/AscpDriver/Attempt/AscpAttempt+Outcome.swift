// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth

extension AscpAttempt {
  /// Returns the result of the transfer after ascp has ended.
  ///
  /// The messages on the management port take precedence over the exit status and the printed output.
  ///
  /// - Parameters:
  ///   - ending: The way in which the ascp process ended.
  ///   - printed: The end of ascp's printed output.
  func outcome(of ending: AscpProcess.Ending, printed: String) -> Result<TransferSummary, TransferFailure> {
    let printed = verdict == .done && ending == .exited(0) ? "" : mask.applied(to: printed)
    if case .notStarted(let reason) = ending { return .failure(.notStarted(reason)) }
    switch verdict {
    case .done?:
      guard case .exited(let status) = ending, status != 0, !wasStopped else { return .success(progress.summary) }
      guard let error = progress.fileErrors.last else { return .failure(.ended(ending, printed: printed)) }
      return .failure(TransferFailure(ascpCode: error.code, text: error.text))
    case .failed(let code, let text)?:
      return .failure(TransferFailure(ascpCode: code, text: Self.detailed(text, by: printed, code)))
    case .cancelled?: return .failure(.cancelled)
    case .fault(let fault)?: return .failure(.fault(fault, limits: limits, printed: printed))
    case nil:
      if let problem { return .failure(.fault(.unreadable(problem), limits: limits, printed: printed)) }
      return .failure(.ended(ending, printed: printed))
    }
  }

  /// Returns the text of a failed login with ascp's printed output added, because ascp sends one text for all failed
  /// logins.
  private static func detailed(_ text: String, by printed: String, _ code: Int) -> String {
    guard AscpErrorCode(code)?.failureClass == .account, let detail = printed.lastLines, !text.contains(detail) else {
      return text
    }
    return text.isEmpty ? detail : "\(text) (\(detail))"
  }
}
