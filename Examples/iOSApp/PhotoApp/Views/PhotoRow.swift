// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import SwiftUI

  /// A row of the list: the name of a photo, its progress, and what can be done with it.
  @available(iOS 17, tvOS 17, watchOS 10, *)
  struct PhotoRow: View {
    let photo: Photo
    let model: PhotoModel

    var body: some View {
      LabeledContent(photo.id) {
        switch photo.state {
        case .uploading(let fraction):
          ProgressView(value: fraction)
          Button("Cancel", systemImage: "xmark") { model.cancel(photo.id) }
        case .inBackground: Text("In the background")
        case .stored: Button("Share", systemImage: "square.and.arrow.up") { Task { await model.share(photo.id) } }
        case .cancelled: Text("Cancelled")
        case .failed(let reason): Text(reason).foregroundStyle(.red)
        }
      }
    }
  }
#endif
