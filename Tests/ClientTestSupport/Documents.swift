// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The bucket of `ossClient`.
package let ossBucket = "photos"
/// The bucket of `cosClient`.
package let cosBucket = "photos-1250000000"

/// Returns the answer to a request for a page of a listing, with the elements that repeat the request.
package func listAnswer(
  _ content: String = "", bucket: String = ossBucket, prefix: String = "", delimiter: String = "",
  next: String? = nil, element: String = "NextContinuationToken"
) -> String {
  """
  <ListBucketResult><Name>\(bucket)</Name><EncodingType>url</EncodingType><Prefix>\(prefix)</Prefix>
  <Delimiter>\(delimiter)</Delimiter><IsTruncated>\(next != nil)</IsTruncated>
  \(next.map { "<\(element)>\($0)</\(element)>" } ?? "")\(content)</ListBucketResult>
  """
}

/// Returns the element of an object in a listing.
package func listed(_ key: String, size: Int = 1) -> String {
  "<Contents><Key>\(key)</Key><Size>\(size)</Size></Contents>"
}

/// Returns the answer to a request for a page of unfinished uploads.
package func uploadsAnswer(_ content: String = "", bucket: String = ossBucket, prefix: String = "", end: String)
  -> String
{
  """
  <ListMultipartUploadsResult><Bucket>\(bucket)</Bucket><EncodingType>url</EncodingType><Prefix>\(prefix)</Prefix>
  \(content)\(end)</ListMultipartUploadsResult>
  """
}

/// Returns the answer to the request that starts a multipart upload.
package func initiateAnswer(_ key: String, id: String, bucket: String = ossBucket) -> String {
  """
  <InitiateMultipartUploadResult><Bucket>\(bucket)</Bucket><Key>\(key)</Key><UploadId>\(id)</UploadId>\
  </InitiateMultipartUploadResult>
  """
}

/// Returns the answer to the request that completes a multipart upload.
package func completeAnswer(_ key: String, etag: String = "\"E\"", bucket: String = ossBucket) -> String {
  """
  <CompleteMultipartUploadResult><Bucket>\(bucket)</Bucket><Key>\(key)</Key><ETag>\(etag)</ETag>\
  </CompleteMultipartUploadResult>
  """
}

/// The answer to a copy.
package let copyAnswer = "<CopyObjectResult><ETag>\"E\"</ETag></CopyObjectResult>"

/// Returns an XML document as the bytes of a response.
package func wireAnswer(_ document: String) -> String {
  "HTTP/1.1 200 OK\r\nContent-Length: \(document.utf8.count)\r\n\r\n\(document)"
}
