// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A timer that closes a channel at the earliest of several deadlines.
///
/// If the deadline was moved to a later time, a timer that fires schedules itself again, so that moving costs no task.
final class CloseTimer {
  /// The time until which the client must have sent what the server waits for.
  var readDeadline: NIODeadline?
  /// The time until which the client must have read what the server sends.
  var writeDeadline: NIODeadline?
  var endDeadline: NIODeadline?
  private var scheduledClose: (deadline: NIODeadline, task: Scheduled<Void>)?

  private var earliestDeadline: NIODeadline? { [readDeadline, writeDeadline, endDeadline].compactMap(\.self).min() }

  /// Starts the timer after a deadline was set; removing a deadline needs no call.
  func schedule(_ context: ChannelHandlerContext) {
    guard let nextDeadline = earliestDeadline else { return }
    if let scheduledClose {
      guard scheduledClose.deadline > nextDeadline else { return }
      scheduledClose.task.cancel()
    }
    let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: nextDeadline) { self.closeIfDue(context) }
    scheduledClose = (nextDeadline, task)
  }

  func cancel() {
    scheduledClose?.task.cancel()
    scheduledClose = nil
  }

  private func closeIfDue(_ context: ChannelHandlerContext) {
    scheduledClose = nil
    if let earliestDeadline, earliestDeadline <= context.eventLoop.now {
      context.close(promise: nil)
    } else {
      schedule(context)
    }
  }
}
