// Decodes Kubernetes manifests strictly by the types of k8s.io/api: a field that no type has, twice the same field, or
// an object of no known kind is told, and ends it with 1. Prints `kind/name` of each object.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

func kinds() map[string]metav1.Object {
	return map[string]metav1.Object{
		"apps/v1 Deployment":                     &appsv1.Deployment{},
		"autoscaling/v2 HorizontalPodAutoscaler": &autoscalingv2.HorizontalPodAutoscaler{},
		"v1 ConfigMap":                           &corev1.ConfigMap{},
		"v1 Service":                             &corev1.Service{},
		"policy/v1 PodDisruptionBudget":          &policyv1.PodDisruptionBudget{},
	}
}

func main() {
	for _, file := range os.Args[1:] {
		if err := decode(file); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", file, err)
			os.Exit(1)
		}
	}
}

func decode(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var meta metav1.TypeMeta
		if err := yaml.Unmarshal(document, &meta); err != nil {
			return err
		}
		object, known := kinds()[meta.APIVersion+" "+meta.Kind]
		if !known {
			return fmt.Errorf("no kind %s of %s is known here", meta.Kind, meta.APIVersion)
		}
		if err := yaml.UnmarshalStrict(document, object); err != nil {
			return err
		}
		fmt.Printf("%s/%s\n", meta.Kind, object.GetName())
	}
}
