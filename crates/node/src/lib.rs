//! The Node addon that the Pi extension loads: conversion only.
