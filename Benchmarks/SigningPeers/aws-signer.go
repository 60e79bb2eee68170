// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// Times the signer of the AWS SDK for Go with the inputs of W6 and W7, for measure-signing-peers.py.
//
//	aws-signer WORKLOADS.JSON
//
// A batch signs requests that exist before it begins, and its result is discarded.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

const (
	batchNanoseconds = 100_000
	repetitions      = 1500
)

func fail(problem any) {
	fmt.Fprintln(os.Stderr, "aws-signer:", problem)
	os.Exit(1)
}

// processorTime returns the processor time of this process, with the threads that collect garbage, in nanoseconds.
func processorTime() int64 {
	var now syscall.Timespec
	const clockOfProcess = 2
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockOfProcess, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

// report times batches of sign, each with new requests, and prints the median, the minimum and the maximum.
func report(name string, request func() *http.Request, sign func(*http.Request)) {
	batch := func(count int) float64 {
		requests := make([]*http.Request, count)
		for index := range requests {
			requests[index] = request()
		}
		start := processorTime()
		for _, each := range requests {
			sign(each)
		}
		return float64(processorTime()-start) / float64(count)
	}
	batch(200)
	count := int(batchNanoseconds / batch(200))
	if count < 1 {
		count = 1
	}
	samples := make([]float64, repetitions)
	for index := range samples {
		samples[index] = batch(count)
	}
	sort.Float64s(samples)
	fmt.Printf("NS\taws-sdk-go-v2\t%s\t%f\t%f\t%f\t%d\n", name, samples[repetitions/2], samples[0],
		samples[repetitions-1], repetitions)
}

func check(name string, text string, expected any) {
	if !strings.HasSuffix(text, fmt.Sprintf("Signature=%v", expected)) {
		fail(fmt.Sprintf("%s: the signature is not the reference signature: %s", name, text))
	}
}

func main() {
	bytes, err := os.ReadFile(os.Args[1])
	if err != nil {
		fail(err)
	}
	var file struct{ Inputs, Expected map[string]any }
	if err := json.Unmarshal(bytes, &file); err != nil {
		fail(err)
	}
	text := func(name string) string { return file.Inputs[name].(string) }
	background := context.Background()
	date := time.Unix(int64(file.Inputs["EPOCH"].(float64)), 0)
	lifetime := strconv.Itoa(int(file.Inputs["EXPIRES"].(float64)))
	key := aws.Credentials{AccessKeyID: text("S3_AK"), SecretAccessKey: text("S3_SK")}
	keyWithToken := key
	keyWithToken.SessionToken = text("TOKEN")
	signer := v4.NewSigner(func(options *v4.SignerOptions) { options.DisableURIPathEscaping = true })
	address := "https://" + text("S3_HOST") + "/" + text("KEY")

	put := func() *http.Request {
		request, err := http.NewRequest("PUT", address, nil)
		if err != nil {
			fail(err)
		}
		request.Header.Set("Content-Type", text("CTYPE"))
		request.Header.Set("Content-MD5", text("MD5"))
		request.Header.Set("X-Amz-Meta-Author", text("AUTHOR"))
		request.Header.Set("X-Amz-Meta-Camera", text("CAMERA"))
		return request
	}
	hash := text("S3_SHA256")
	signPut := func(request *http.Request) {
		// The SDK's middleware sets it, next to the call of the signer.
		request.Header.Set("X-Amz-Content-Sha256", hash)
		if err := signer.SignHTTP(background, keyWithToken, request, hash, "s3", text("S3_REGION"), date); err != nil {
			fail(err)
		}
	}
	request := put()
	signPut(request)
	check("W6", request.Header.Get("Authorization"), file.Expected["W6"])

	// The lifetime is part of the existing request, because the SDK sets it in another middleware.
	query := "?response-content-type=" + url.QueryEscape(text("RCT")) + "&X-Amz-Expires=" + lifetime
	get := func() *http.Request {
		request, err := http.NewRequest("GET", address+query, nil)
		if err != nil {
			fail(err)
		}
		return request
	}
	result := ""
	signGet := func(request *http.Request) {
		signed, _, err := signer.PresignHTTP(background, key, request, "UNSIGNED-PAYLOAD", "s3", text("S3_REGION"), date)
		if err != nil {
			fail(err)
		}
		result = signed
	}
	signGet(get())
	check("W7", result, file.Expected["W7"])

	report("W6", put, signPut)
	report("W7", get, signGet)
}
